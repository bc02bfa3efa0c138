// Parses a unified diff of git into its files and their numbered lines, and chooses the rows that the page shows.

import type { Change } from '../../../policies/facts/gate-record.ts';
import { pathsOfDiff } from '../../../policies/gate/unified-diff.ts';

export interface DiffFile {
  path: string;
  /** The earlier path of a renamed file. */
  from: string | null;
  how: Change['how'];
  /** In words, what no line shows: that it is binary, another mode. */
  remarks: string[];
  added: number;
  removed: number;
  lines: DiffLine[];
}

/** `place`: the heading of a hunk; `remark`: a sentence of git about the line above. */
interface DiffLine {
  kind: 'place' | 'same' | 'added' | 'removed' | 'remark';
  /** The line's number on each side. */
  old: number | null;
  now: number | null;
  text: string;
}

/** A line of a hunk begins with a sign, so none is a file's first. A secret of several lines makes counts wrong. */
export function filesOfDiff(diff: string): DiffFile[] {
  const begins = [...diff.matchAll(/^diff --(?:git|cc|combined) /gm)].map(({ index }) => index);
  return begins.map((from, nth) => fileOf(diff.slice(from, begins[nth + 1] ?? diff.length)));
}

function fileOf(piece: string): DiffFile {
  const lines = piece.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const hunk = lines.findIndex((line) => line.startsWith('@@'));
  const head = hunk < 0 ? lines : lines.slice(0, hunk);
  const [change] = pathsOfDiff(`${head.join('\n')}\n`);
  const file: DiffFile = {
    path: change?.path ?? head[0]!.replace(/^diff --\w+ /, ''),
    from: change?.from ?? null,
    how: change?.how ?? 'modified',
    remarks: remarksIn(head),
    added: 0,
    removed: 0,
    lines: hunk < 0 ? [] : linesOf(lines.slice(hunk)),
  };
  for (const { kind } of file.lines) {
    if (kind === 'added') file.added += 1;
    if (kind === 'removed') file.removed += 1;
  }
  return file;
}

function remarksIn(head: readonly string[]): string[] {
  const after = (word: string) => head.find((line) => line.startsWith(word))?.slice(word.length);
  const [old, now] = [after('old mode '), after('new mode ')];
  const kind = KINDS[(now ?? after('new file mode ') ?? after('deleted file mode ') ?? '').trim()];
  return [
    ...(head.some((line) => /^(?:Binary files |GIT binary patch)/.test(line)) ? ['binary file'] : []),
    ...(kind === undefined ? [] : [kind]),
    ...(old === undefined || now === undefined ? [] : [`mode ${old} → ${now}`]),
  ];
}

const KINDS: Record<string, string> = { '120000': 'symbolic link', '160000': 'repository of its own' };

function linesOf(lines: readonly string[]): DiffLine[] {
  let [old, now] = [0, 0];
  // A combined diff has one sign for each parent.
  let signs = 1;
  return lines.map((line): DiffLine => {
    const place = /^(@@+) -(\d+)(?:,\d+)? .*?\+(\d+)(?:,\d+)? @@+ ?(.*)$/s.exec(line);
    if (place !== null) {
      [old, now, signs] = [Number(place[2]), Number(place[3]), place[1]!.length - 1];
      return { kind: 'place', old, now, text: place[4]! };
    }
    if (line.startsWith('\\')) return { kind: 'remark', old: null, now: null, text: line.slice(1).trim() };
    const sign = line.slice(0, signs);
    const text = line.slice(signs);
    if (sign.includes('+')) return { kind: 'added', old: null, now: now++, text };
    if (sign.includes('-')) return { kind: 'removed', old: old++, now: null, text };
    return { kind: 'same', old: old++, now: now++, text: sign.trim() === '' ? text : line };
  });
}

/** What the list shows. Each row has a key that stays the same while others are folded. */
type DiffRow =
  | { row: 'file'; key: string; nth: number; file: DiffFile }
  | { row: 'line'; key: string; line: DiffLine; file: DiffFile }
  /** Unchanged lines: `opens` shows them; null if the diff does not contain them. */
  | { row: 'gap'; key: string; count: number; opens: string | null; text: string };

/** A longer run of unchanged lines is folded, up to the lines beside a change. */
const LONGEST_RUN = 12;
const BESIDE = 3;

export const rowsOf = (files: readonly DiffFile[], folded: ReadonlySet<number>, opened: ReadonlySet<string>) =>
  files.flatMap((file, nth): DiffRow[] => [
    { row: 'file', key: `${nth}`, nth, file },
    ...(folded.has(nth) ? [] : rowsIn(file, nth, opened)),
  ]);

function rowsIn(file: DiffFile, nth: number, opened: ReadonlySet<string>): DiffRow[] {
  const { lines } = file;
  const rows: DiffRow[] = [];
  /** The next line of the earlier version. */
  let next = 1;
  const show = (from: number, until: number) => {
    for (let at = from; at < until; at += 1) {
      const line = lines[at]!;
      rows.push({ row: 'line', key: `${nth}:${at}`, line, file });
      if (line.old !== null) next = line.old + 1;
    }
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    const key = `${nth}:${at} gap`;
    if (line.kind === 'place') {
      const count = line.old! - next;
      if (count > 0) rows.push({ row: 'gap', key, count, opens: null, text: line.text });
      at += 1;
      continue;
    }
    let end = at;
    while (lines[end]?.kind === 'same') end += 1;
    if (end - at > LONGEST_RUN && !opened.has(key)) {
      const [first, last] = [at === 1 ? 0 : BESIDE, end === lines.length ? 0 : BESIDE];
      show(at, at + first);
      rows.push({ row: 'gap', key, count: end - at - first - last, opens: key, text: '' });
      show(end - last, end);
    } else show(at, Math.max(end, at + 1));
    at = Math.max(end, at + 1);
  }
  return rows;
}
