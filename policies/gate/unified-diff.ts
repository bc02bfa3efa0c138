// Extracts the unified diffs of an answer, corrects their line counts, and lists the paths that they change.

import type { Change } from '../facts/gate-record.ts';
import { fencesOf, linesOf } from '../text/markdown.ts';

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
function createReader(): { read(line: string): DiffPart } {
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

/** Returns the same text if all counts are correct. Blank lines at the end of a hunk are not counted as part of it. */
export function recounted(diff: string): string {
  const lines = diff.split('\n');
  const kept: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const header = HUNK.exec(lines[at]!.slice(0, MAX_HEADER));
    if (header === null) {
      kept.push(lines[at]!);
      at += 1;
      continue;
    }
    const end = endOfHunk(lines, at + 1);
    const body = lines.slice(at + 1, end);
    while (/^\r?$/.test(body.at(-1) ?? 'x')) body.pop();
    const count = (...signs: string[]) => body.filter((line) => signs.includes(line.charAt(0).trim())).length;
    kept.push(
      `@@ -${header[1]},${count('', '-')} +${header[2]},${count('', '+')} @@${lines[at]!.slice(header[0].length)}`,
      ...body,
    );
    at = end;
  }
  const text = kept.join('\n');
  return diff.endsWith('\n') && !text.endsWith('\n') ? `${text}\n` : text;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

const MAX_HEADER = 100;

/** A deleted line may look like a file header. A real header has a second line and a hunk below it. */
function endOfHunk(lines: readonly string[], from: number): number {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at]!;
    if (!/^(?:[ +\\-]|\r?$)/.test(line)) return at;
    if (line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ') && lines[at + 2]?.startsWith('@@ ')) return at;
  }
  return lines.length;
}

/** Extracts the paths that a unified diff changes, as `git apply` reads them. */
interface File {
  header: string;
  old: string | null;
  now: string | null;
  from: string | null;
  to: string | null;
  kind: 'copied' | 'renamed' | null;
  fresh: boolean;
  gone: boolean;
  modes: boolean;
  hunks: boolean;
}

/** Returns both sides of each file, in the order of the text. `/dev/null` is not a path. A copy adds a file. */
export function pathsOfDiff(diff: string): Change[] {
  const strip = prefixParts(diff);
  return filesOf(diff).flatMap((file) => changeOf(file, strip));
}

/** How many leading parts `git apply` must strip (`-p`): 1 if every path begins with the letter of its side, else 0. */
export function prefixParts(diff: string): 0 | 1 {
  const names = filesOf(diff).flatMap(({ header, old, now }) => {
    const named = [old, now].filter((name) => name !== null && name !== NOWHERE);
    return named.length > 0 ? named : (headerNames(header, 0) ?? []);
  });
  return names.every((name) => /^[abciow]\//.test(name!)) ? 1 : 0;
}

/** Returns the paths that are outside the tree, or in git's own folder. */
export const strayPaths = (changes: readonly Change[]): string[] =>
  changes
    .flatMap(({ path, from }) => (from === undefined ? [path] : [from, path]))
    .filter((path) => /^[/\\~]|^[A-Za-z]:|(?:^|[/\\])\.\.?(?:[/\\]|$)|(?:^|[/\\])\.git(?:[/\\]|$)|\0/i.test(path));

const NOWHERE = '/dev/null';

function filesOf(diff: string): File[] {
  const files: File[] = [];
  const reader = createReader();
  let file: File | null = null;
  const begin = (header: string): File => {
    const begun = { ...EMPTY, header };
    files.push(begun);
    return begun;
  };
  for (const { text: line } of linesOf(diff)) {
    const part = reader.read(line);
    if (part === 'file') file = begin(line);
    if (part === 'hunk' && file !== null) file.hunks = true;
    if (part !== 'header') continue;
    // Without a `diff --git` line, a file begins with its old side.
    if (file === null || (line.startsWith('--- ') && (file.old !== null || file.hunks))) file = begin('');
    note(file, line);
  }
  // A line that looks like an old side, without a new side below it, is prose.
  return files.filter(({ header, old, now }) => header !== '' || (old !== null && now !== null));
}

const EMPTY: File = {
  header: '',
  old: null,
  now: null,
  from: null,
  to: null,
  kind: null,
  fresh: false,
  gone: false,
  modes: false,
  hunks: false,
};

function note(file: File, line: string): void {
  const rest = (word: string) => (line.startsWith(word) ? line.slice(word.length) : null);
  const [old, now] = [rest('--- '), rest('+++ ')];
  if (old !== null) file.old = nameIn(old);
  if (now !== null) file.now = nameIn(now);
  if (/^(?:old|new) mode /.test(line)) file.modes = true;
  if (line.startsWith('new file mode ')) file.fresh = true;
  if (line.startsWith('deleted file mode ')) file.gone = true;
  const moved = /^(copy|rename) (from|old|to|new) (.*)$/.exec(line);
  if (moved === null) return;
  file.kind = moved[1] === 'copy' ? 'copied' : 'renamed';
  if (moved[2] === 'from' || moved[2] === 'old') file.from = nameIn(moved[3]!);
  else file.to = nameIn(moved[3]!);
}

function changeOf(file: File, strip: 0 | 1): Change[] {
  const sides = { old: sideOf(file.old, strip), now: sideOf(file.now, strip) };
  const [oldInHeader, newInHeader] = headerNames(file.header, strip) ?? [null, null];
  const from = file.from ?? sides.old ?? oldInHeader;
  const to = file.to ?? sides.now ?? newInHeader;
  const path = to ?? from;
  if (path === null) return [];
  if (file.kind === 'copied') return [{ path, how: 'added' }];
  if (file.fresh || file.old === NOWHERE) return [{ path: sides.now ?? path, how: 'added' }];
  if (file.gone || file.now === NOWHERE) return [{ path: sides.old ?? path, how: 'deleted' }];
  if (from !== null && from !== path) return [{ path, how: 'renamed', from }];
  return [{ path, how: file.modes && !file.hunks ? 'mode' : 'modified' }];
}

const sideOf = (name: string | null, strip: 0 | 1): string | null =>
  name === null || name === NOWHERE ? null : stripped(name, strip);

/** As git does, removes the text before the first slash, and the slashes that follow. */
const stripped = (name: string, strip: 0 | 1): string => (strip === 0 ? name : name.replace(/^[^/]*\/+/, ''));

/** Parses `diff --git a/x b/x`. Unquoted names may contain blanks, so the two halves must be equal. */
function headerNames(header: string, strip: 0 | 1): [string, string] | null {
  const rest = header.slice('diff --git '.length).replace(/\r$/, '');
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(rest);
  if (quoted !== null) return [stripped(nameIn(quoted[1]!), strip), stripped(nameIn(quoted[2]!), strip)];
  const half = (rest.length - 1) / 2;
  if (!Number.isInteger(half) || rest.charAt(half) !== ' ') return null;
  return [stripped(rest.slice(0, half), strip), stripped(rest.slice(half + 1), strip)];
}

/** Reads the name up to a tab, after which a time may follow. A quoted name has C escapes. */
function nameIn(text: string): string {
  if (text.startsWith('"')) {
    const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(text);
    if (quoted !== null) return unescaped(quoted[1]!);
  }
  return text.split('\t')[0]!.replace(/\r$/, '');
}

/** Octal escapes are bytes of UTF-8. */
function unescaped(text: string): string {
  const bytes = text
    .replaceAll('%', '%25')
    .replace(/\\([0-3][0-7]{2}|.)/g, (_, code: string) =>
      code.length === 3 ? `%${Number.parseInt(code, 8).toString(16).padStart(2, '0')}` : (ESCAPES[code] ?? code),
    );
  try {
    return decodeURIComponent(bytes);
  } catch {
    return bytes;
  }
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };
