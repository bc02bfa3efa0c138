// On which line of a JSON text a field stands.

/**
 * @param text of valid JSON, in which no object has one name twice.
 * @returns from 1; of the nearest field above it where it does not stand in the text.
 */
export function lineInJson(text: string, path: readonly PropertyKey[]): number {
  let at = 0;
  let found = 0;
  step();
  enter(0);
  return text.slice(0, found).split('\n').length;

  /** The value that begins at `at`, of which the first `depth` steps of the path are known. */
  function enter(depth: number): void {
    // The whole text is where nothing of the path is: its first line.
    if (depth > 0) found = at;
    const wanted = path[depth];
    const open = text[at];
    if (wanted === undefined || (open !== '{' && open !== '[')) return;
    at += 1;
    for (let index = 0; step() !== '}' && text[at] !== ']'; index += 1) {
      let name: PropertyKey = index;
      if (open === '{') {
        const from = at;
        skip();
        name = JSON.parse(text.slice(from, at)) as string;
        step();
        at += 1;
        step();
      }
      if (name === wanted) {
        enter(depth + 1);
        return;
      }
      skip();
      if (step() === ',') at += 1;
    }
  }

  /** To the next character that is no space. */
  function step(): string | undefined {
    while (/\s/.test(text[at] ?? '')) at += 1;
    return text[at];
  }

  /** Behind the value that begins here. */
  function skip(): void {
    let depth = 0;
    do {
      TOKEN.lastIndex = at;
      const [piece] = TOKEN.exec(text)!;
      if (piece === '{' || piece === '[') depth += 1;
      if (piece === '}' || piece === ']') depth -= 1;
      at += piece.length;
    } while (depth > 0);
  }
}

/** Does an object have a name for the second time? @param text of valid JSON. */
export function repeatsName(text: string): boolean {
  const open: (Set<unknown> | null)[] = [];
  let name: unknown = null;
  for (const [piece] of text.matchAll(PIECES)) {
    const names = open.at(-1) ?? null;
    if (piece === '{') open.push(new Set());
    else if (piece === '[') open.push(null);
    else if (piece === '}' || piece === ']') open.pop();
    else if (piece === ':') {
      if (names?.has(name)) return true;
      names?.add(name);
    } else name = JSON.parse(piece);
  }
  return false;
}

/** Strings, brackets, and the colon behind a name. */
const PIECES = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:]/gs;

/** A string, a bracket, another value, or what stands between them. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|[^\s"[\]{},:]+|[\s,:]+/sy;

/** Is there such a field in what was read? */
export function hasIn(data: unknown, path: readonly PropertyKey[]): boolean {
  let value = data;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return true;
}
