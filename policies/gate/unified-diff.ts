// Extracts the unified diffs of an answer, from code blocks or from the text.

import { fencesOf, linesOf } from '../text/lines.ts';

/** Joins all diffs as `git apply` accepts them; null if there is none. */
export function diffOf(answer: string): string | null {
  const pieces: string[] = [];
  let at = 0;
  for (const fence of fencesOf(answer)) {
    pieces.push(...bareDiffs(answer.slice(at, fence.from)));
    at = fence.to;
    if (!LANGUAGES.has(fence.language)) continue;
    const body = withoutIndent(fence.body);
    if (beginsDiff(body)) pieces.push(body);
  }
  pieces.push(...bareDiffs(answer.slice(at)));
  return pieces.length === 0 ? null : pieces.map(ended).join('');
}

const LANGUAGES = new Set(['', 'diff', 'patch', 'udiff', 'git', 'text', 'txt']);

/** A diff begins with one of these. Lines with `+` and `-` alone are an illustration and cannot be applied. */
const beginsDiff = (text: string): boolean => /^(?:diff --git |--- [^\n]+\n\+\+\+ )/m.test(text);

const ended = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

/** A block in a list is indented as a whole. */
function withoutIndent(body: string): string {
  const indent = /^[ \t]*/.exec(body)![0];
  if (indent === '' || !/^(?:diff --git |--- )/.test(body.slice(indent.length))) return body;
  return body
    .split('\n')
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()))
    .join('\n');
}

/** Returns each diff from its first line to its last one, by the counts of its hunks. */
function bareDiffs(text: string): string[] {
  const found: string[] = [];
  const reader = createReader();
  let begin = -1;
  let end = -1;
  const close = () => {
    const piece = begin < 0 ? '' : text.slice(begin, end);
    if (beginsDiff(piece)) found.push(piece);
    begin = -1;
  };
  for (const { text: line, from, to } of linesOf(text)) {
    if (reader.read(line) === 'prose') {
      close();
      continue;
    }
    if (begin < 0) begin = from;
    end = to;
  }
  close();
  return found;
}

type DiffPart = 'file' | 'header' | 'hunk' | 'body' | 'prose';

/** Classifies each line of a text as a part of a diff. */
export function createReader(): { read(line: string): DiffPart } {
  let old = 0;
  let now = 0;
  let last: DiffPart = 'prose';
  const read = (line: string): DiffPart => {
    if (old > 0 || now > 0) {
      const sign = line.charAt(0);
      if (sign === '\\') return 'body';
      if (sign === '' || sign === ' ' || sign === '-' || sign === '+' || line === '\r') {
        if (sign !== '+') old -= 1;
        if (sign !== '-') now -= 1;
        return 'body';
      }
      [old, now] = [0, 0];
    }
    if (line.startsWith('diff --git ')) return 'file';
    if (line.startsWith('\\ ') && last === 'body') return 'body';
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line.slice(0, 100));
    if (hunk !== null && last !== 'prose') {
      [old, now] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      return 'hunk';
    }
    if (line.startsWith('--- ') || (line.startsWith('+++ ') && last === 'header')) return 'header';
    return (last === 'file' || last === 'header') && EXTENDED.test(line.slice(0, 100)) ? 'header' : 'prose';
  };
  return {
    read(line) {
      last = read(line);
      return last;
    },
  };
}

const EXTENDED =
  /^(?:old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|rename old|rename new|similarity index|dissimilarity index|index) /;
