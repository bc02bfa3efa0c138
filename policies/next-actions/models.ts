// The models that a service names when it refuses another.

/** In the text's order; none where it names none. */
export function modelsIn(text: string): string[] {
  const listed = LIST.exec(text)?.[1] ?? HINT.exec(text)?.[1] ?? '';
  const names = listed.split(/[\s,;|`'"[\](){}]+|\band\b|\bor\b/).map((word) => word.replace(/[.:?!]+$/, ''));
  return [...new Set(names.filter((name) => NAME.test(name)))].slice(0, MOST);
}

const LIST =
  /\b(?:available|supported|valid|allowed|known|accessible|possible) (?:models?|choices|values|options)(?: names?)?(?: (?:are|is|include))?\s{0,3}[:=]?\s{1,3}([^\n]{3,600})/i;
const HINT = /\b(?:did you mean|use|try|switch to|instead)\b:?\s{0,3}(?:the model\s)?([`'"]?[\w./:-]{3,80}[`'"]?)/i;

/** A word alone is no model: each has a digit or a dash in it. */
const NAME = /^(?=[\w./:-]*[\d-])[A-Za-z][\w./:-]{2,79}$/;

const MOST = 12;
