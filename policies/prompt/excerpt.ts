// Shortens a text in the middle: keeps whole lines of head and tail, and adds a line that says what is missing.

export interface Excerpt {
  /** The whole text if nothing is omitted. */
  head: string;
  tail: string;
  omitted: { lines: number; chars: number } | null;
}

/** The end that matters more; logs fail at their end. */
type Lean = 'head' | 'tail';

/** The head's share of the available room. */
const HEAD_SHARE = { head: 0.6, tail: 0.3 } as const satisfies Record<Lean, number>;
/** The size of the line that says what is missing. */
const NOTE_CHARS = 80;

export const wholeText = (text: string): Excerpt => ({ head: text, tail: '', omitted: null });

/** The rendered result has at most `maxChars` characters, if the note itself fits. */
export function shorten(excerpt: Excerpt, maxChars: number, lean: Lean): Excerpt {
  if (render(excerpt).length <= maxChars) return excerpt;
  const room = Math.max(0, maxChars - NOTE_CHARS);
  const head = firstLines(excerpt.head, Math.floor(room * HEAD_SHARE[lean]));
  const tail = lastLines(excerpt.omitted === null ? excerpt.head : excerpt.tail, room - head.length);
  return {
    head,
    tail,
    omitted: {
      lines: linesOf(excerpt) - countLines(head) - countLines(tail),
      chars: charsOf(excerpt) - head.length - tail.length,
    },
  };
}

export function render({ head, tail, omitted }: Excerpt): string {
  if (omitted === null) return head;
  const lines = omitted.lines > 0 ? `${omitted.lines} lines, ` : '';
  return `${onItsOwnLine(head)}[... ${lines}${omitted.chars} characters omitted here ...]\n${tail}`;
}

/** The length of the text before anything was omitted. */
export const charsOf = ({ head, tail, omitted }: Excerpt): number => head.length + tail.length + (omitted?.chars ?? 0);

export function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

const linesOf = ({ head, tail, omitted }: Excerpt): number =>
  countLines(head) + countLines(tail) + (omitted?.lines ?? 0);

const onItsOwnLine = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** Cuts at whole lines, unless that would waste more than half the room: a line can be very long. */
function firstLines(text: string, max: number): string {
  if (text.length <= max) return text;
  const lineEnd = text.lastIndexOf('\n', max - 1) + 1;
  if (max > 0 && lineEnd >= max / 2) return text.slice(0, lineEnd);
  return text.slice(0, splitsPair(text, max) ? max - 1 : max);
}

function lastLines(text: string, max: number): string {
  if (text.length <= max) return text;
  const from = text.length - max;
  const lineStart = text.indexOf('\n', from - 1) + 1;
  if (lineStart > 0 && lineStart - from <= max / 2) return text.slice(lineStart);
  return text.slice(splitsPair(text, from) ? from + 1 : from);
}

/** Whether a cut here would separate the two halves of a surrogate pair. */
const splitsPair = (text: string, at: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1));
