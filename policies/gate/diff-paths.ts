// Extracts the paths that a unified diff changes, as `git apply` reads them.

import type { Change } from '../facts/gate-record.ts';
import { linesOf } from '../text/lines.ts';
import { createReader } from './unified-diff.ts';

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
