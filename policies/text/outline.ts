// Outlines a text: its headings, in all forms that models and people use, and the lines between them.

import { linesOf, type MarkdownLine, saysSomething } from './lines.ts';
import { findName, MAX_HEADING, type NameBook, type NameFound } from './names.ts';

interface OutlinePiece {
  from: number;
  to: number;
  /** null for a line of text. */
  heading: Heading | null;
  saysSomething: boolean;
}

export interface Heading {
  /** Numbered lines, and lines that end in a colon, are headings only if they contain a wanted name. */
  form: 'hashes' | 'underlined' | 'bold' | 'plain';
  /** 1 to 6; 7 for headings that Markdown itself treats as text. */
  level: number;
  found: NameFound | null;
}

export const WEAK = 7;

/** A heading that is wrapped over two lines is one piece. Takes time linear in the text's length. */
export function* outlineOf(text: string, book: NameBook): Generator<OutlinePiece> {
  const lines = linesOf(text);
  const next = (): MarkdownLine | null => {
    const { value, done } = lines.next();
    return done ? null : value;
  };
  let [line, second, third] = [next(), next(), next()];
  while (line !== null) {
    const headed = line.kind === 'text' ? headingAt(line.text, textOf(second), textOf(third), book) : null;
    const last: MarkdownLine = [line, second, third][(headed?.lines ?? 1) - 1] ?? line;
    yield {
      from: line.from,
      to: last.to,
      heading: headed?.heading ?? null,
      saysSomething: line.kind !== 'fence' && saysSomething(line.text),
    };
    for (let taken = headed?.lines ?? 1; taken > 0; taken -= 1) [line, second, third] = [second, third, next()];
  }
}

const textOf = (line: MarkdownLine | null): string | null => (line?.kind === 'text' ? line.text : null);

type Headed = { heading: Heading; lines: number } | null;

function headingAt(whole: string, second: string | null, third: string | null, book: NameBook): Headed {
  const line = whole.slice(0, MAX_HEADING);
  if (line.trim() === '') return null;
  const hashes = /^ {0,3}(#{1,6})(?:\s+|(?=\p{L})|$)(.*)$/u.exec(line);
  if (hashes !== null) {
    const named = nameOver(hashes[2]!, isPlain(second) ? second : null, book);
    return headed('hashes', hashes[1]!.length, named.found, named.lines);
  }
  const underlined = underlinedAt(line, second, third, book);
  if (underlined !== null) return underlined;
  const bold = /^ {0,3}(?:\(?\w{1,5}[.)][ \t]+)?(\*\*|__)/.exec(line)?.[1];
  if (bold !== undefined) {
    const named = nameOver(line, second?.includes(bold) ? second : null, book);
    if (named.found !== null || isClosed(line, bold)) return headed('bold', WEAK, named.found, named.lines);
    return null;
  }
  return plainAt(line, second, book);
}

/** `Name:` alone on a line, or `3. Name` with what may follow a name; both may be wrapped. */
function plainAt(line: string, second: string | null, book: NameBook): Headed {
  const numbered = /^ {0,3}\(?\d{1,3}(?:\.\d{1,3})*[.)]?[ \t]+\S/.test(line);
  if (!numbered && !isPlain(line)) return null;
  const single = numbered || endsInColon(line) ? findName(line, book) : null;
  if (single !== null && (numbered || single.runIn === '')) return headed('plain', WEAK, single, 1);
  if (!isPlain(second) || !(numbered || endsInColon(second))) return null;
  const { found, lines } = nameOver(line, second, book);
  return found !== null && lines === 2 && found.runIn === '' ? headed('plain', WEAK, found, 2) : null;
}

/**
 * A line that is followed by `===` or `---`. In a model's text, a line over `---` without a wanted name is text, because models
 * use `---` as a rule there.
 */
function underlinedAt(line: string, second: string | null, third: string | null, book: NameBook): Headed {
  if (!isPlain(line)) return null;
  if (isUnderline(second)) {
    const level = second.includes('=') ? 1 : 2;
    const found = findName(line, book);
    return found === null && level === 2 && book.writer === 'model' ? null : headed('underlined', level, found, 2);
  }
  if (!isPlain(second) || !isUnderline(third)) return null;
  const { found, lines } = nameOver(line, second, book);
  return found !== null && lines === 2 ? headed('underlined', third.includes('=') ? 1 : 2, found, 3) : null;
}

/** Finds the name in a line, or in that line and the next: the longer one. */
function nameOver(line: string, second: string | null, book: NameBook): { found: NameFound | null; lines: number } {
  const single = findName(line, book);
  if (second === null) return { found: single, lines: 1 };
  const both = findName(`${line.trim()} ${second.trim()}`, book);
  return both !== null && both.key !== single?.key ? { found: both, lines: 2 } : { found: single, lines: 1 };
}

const headed = (form: Heading['form'], level: number, found: NameFound | null, lines: number): Headed => ({
  heading: { form, level, found },
  lines,
});

const isUnderline = (line: string | null): line is string =>
  line !== null && line.length <= MAX_HEADING && /^ {0,3}(?:=+|-{2,})[ \t]*$/.test(line);

/** Whether the line alone is not a heading, list, quote or table. */
const isPlain = (line: string | null): line is string =>
  line !== null && /^\s*[^\s#>|+*-]/.test(line.slice(0, MAX_HEADING)) && !/^\s*\d{1,9}[.)]\s/.test(line.slice(0, 40));

const endsInColon = (line: string): boolean => line.length <= MAX_HEADING && /[:：][*_ \t]*$/.test(line);

/** Whether the emphasis extends to the end of the line, except for a colon or a full stop. */
const isClosed = (line: string, mark: string): boolean =>
  line
    .trimEnd()
    .replace(/[:：.]$/, '')
    .endsWith(mark);
