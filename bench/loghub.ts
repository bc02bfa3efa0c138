// Measures the signature on the public loghub-2k sets, each line alone, without any mode of their own.
// The sets are not part of the project (their licence is for research): `npm run bench:loghub -- FOLDER`,
// where FOLDER holds `<name>_2k.log_structured.csv` files at any depth.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { signText } from '../policies/signature/sign.ts';

interface Line {
  content: string;
  event: string;
}

interface Scores {
  lines: number;
  groups: number;
  /** Grouping accuracy: the share of lines whose group is the very group of the truth. */
  ga: number;
  /** F1 over groups that are the very groups of the truth. */
  fga: number;
  /** Adjusted Rand index over pairs of lines. */
  ari: number;
}

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('bench:loghub: name the folder that holds the *_structured.csv files of loghub-2k\n');
  process.exitCode = 2;
} else measure(folder);

function measure(root: string): void {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('_structured.csv'))
    .sort();
  const rows = files.map((name) => [path.basename(name).split('_')[0]!, scoresOf(linesOf(path.join(root, name)))]) as [
    string,
    Scores,
  ][];
  if (rows.length === 0) {
    process.stderr.write(`bench:loghub: ${root} holds no *_structured.csv\n`);
    process.exitCode = 2;
    return;
  }
  process.stdout.write('set            lines groups     GA    FGA    ARI\n');
  for (const [name, scores] of rows) print(name, scores);
  const mean = (pick: (scores: Scores) => number) => rows.reduce((sum, [, one]) => sum + pick(one), 0) / rows.length;
  const total = (pick: (scores: Scores) => number) => rows.reduce((sum, [, one]) => sum + pick(one), 0);
  print('mean', {
    lines: total(({ lines }) => lines),
    groups: total(({ groups }) => groups),
    ga: mean(({ ga }) => ga),
    fga: mean(({ fga }) => fga),
    ari: mean(({ ari }) => ari),
  });
}

function print(name: string, { lines, groups, ga, fga, ari }: Scores): void {
  const figures = [ga, fga, ari].map((one) => one.toFixed(3).padStart(6)).join(' ');
  process.stdout.write(`${name.padEnd(14)} ${String(lines).padStart(5)} ${String(groups).padStart(6)} ${figures}\n`);
}

function scoresOf(lines: Line[]): Scores {
  const truth = groupsBy(lines, ({ event }) => event);
  const found = groupsBy(lines, ({ content }) => signText(null, content).signature);
  const exact = new Set([...truth.values()].map((members) => members.join(',')));
  const right = [...found.values()].filter((members) => exact.has(members.join(',')));
  const precision = right.length / found.size;
  const recall = right.length / truth.size;
  return {
    lines: lines.length,
    groups: truth.size,
    ga: right.reduce((sum, members) => sum + members.length, 0) / lines.length,
    fga: right.length === 0 ? 0 : (2 * precision * recall) / (precision + recall),
    ari: adjustedRand(lines.length, truth, found),
  };
}

/** Indices of the lines of each group. */
function groupsBy(lines: Line[], keyOf: (line: Line) => string): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [i, line] of lines.entries()) {
    const key = keyOf(line);
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [i]);
    else members.push(i);
  }
  return groups;
}

function adjustedRand(count: number, truth: Map<string, number[]>, found: Map<string, number[]>): number {
  const pairs = (n: number) => (n * (n - 1)) / 2;
  const sum = (groups: Map<unknown, number[]>) =>
    [...groups.values()].reduce((all, { length }) => all + pairs(length), 0);
  const ofTruth = new Map([...truth].flatMap(([key, members]) => members.map((i) => [i, key] as const)));
  let both = 0;
  for (const members of found.values()) {
    const shared = new Map<string, number>();
    for (const i of members) shared.set(ofTruth.get(i)!, (shared.get(ofTruth.get(i)!) ?? 0) + 1);
    for (const n of shared.values()) both += pairs(n);
  }
  const expected = (sum(truth) * sum(found)) / pairs(count);
  const most = (sum(truth) + sum(found)) / 2;
  return most === expected ? 1 : (both - expected) / (most - expected);
}

function linesOf(file: string): Line[] {
  const [head, ...rows] = recordsOf(readFileSync(file, 'utf8'));
  const content = head!.indexOf('Content');
  const event = head!.indexOf('EventId');
  return rows.filter((row) => row.length > 1).map((row) => ({ content: row[content]!, event: row[event]! }));
}

/** RFC 4180: a field in quotes may hold commas and line ends, and quotes doubled. */
function recordsOf(text: string): string[][] {
  const records: string[][] = [[]];
  const field = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/y;
  while (field.lastIndex < text.length) {
    const [, raw, end] = field.exec(text) ?? [];
    if (raw === undefined) break;
    records.at(-1)!.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw);
    if (end !== ',') records.push([]);
  }
  return records;
}
