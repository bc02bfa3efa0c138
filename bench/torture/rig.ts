// What all kinds of torture share: the place of a round with its agents and tasks, and the words for what rounds found.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { endSurvivors, findSurvivors } from '../../test/rig/survivors.ts';

export interface Violation<What extends string = string> {
  what: What;
  why: string;
}

export interface Judged {
  plan: object;
  violations: readonly Violation[];
  /** The folder of a bad round stays. */
  root: string;
}

/** One kind of torture. */
export interface Kind<Round extends Judged = Judged> {
  /** What its rounds are called. */
  title: string;
  /** Each kind of violation, with the words that follow its count. */
  wrong: Readonly<Record<string, string>>;
  play(seed: number, n: number, agents: 'fake' | 'real'): Promise<Round>;
  /** What one round did. */
  line(round: Round): string;
  /** Lines about all rounds. */
  more(rounds: readonly Round[]): string[];
}

/** Infers the type of the rounds from `play`. */
export const kindOf = <Round extends Judged>(kind: Kind<Round>): Kind => kind;

export const sumOf = <Item>(items: readonly Item[], count: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + count(item), 0);

/** What rounds found, in words. */
export function wordsFor(kind: Kind, rounds: readonly Judged[], wanted: number): string {
  const bad = rounds.filter(({ violations }) => violations.length > 0).length;
  const all = rounds.flatMap(({ violations }) => violations);
  const found = Object.entries(kind.wrong).map(
    ([name, words]) => `${all.filter(({ what }) => what === name).length} ${words}`,
  );
  const cut = rounds.length < wanted ? ` of ${wanted} (the time was over)` : '';
  return [`${rounds.length} ${kind.title}${cut}, ${bad} bad: ${found.join(', ')}`, ...kind.more(rounds)].join('\n');
}

/** Equal words once, each behind its count, the most frequent first. */
export function counted(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rows = [...counts].sort(([, a], [, b]) => b - a).map(([word, count]) => `${count} ${word}`);
  return rows.join(', ') || 'nothing';
}

export type Place = ReturnType<typeof makePlace>;

/** A folder with a home, a project and agents. */
export function makePlace(name: string, agents: Record<string, string> = {}) {
  const root = mkdtempSync(path.join(tmpdir(), `${name}-`));
  const at = (name: string) => path.join(root, name);
  const write = (name: string, text: string, mode = 0o644) => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text, { mode });
  };
  for (const folder of ['home', 'bin', 'tmp', 'project']) mkdirSync(at(folder));
  for (const [binary, script] of Object.entries(agents)) write(`bin/${binary}`, script, 0o755);
  write('seen', '');
  const marker = `TORTURE_ROUND=${path.basename(root)}`;
  const env: Record<string, string> = {
    PATH: `${at('bin')}:${path.dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: at('home'),
    TMPDIR: at('tmp'),
    TORTURE_ROUND: path.basename(root),
    TORTURE_SEEN: at('seen'),
    NO_COLOR: '1',
  };
  return {
    ...{ root, at, write, env, marker, project: at('project') },
    /** The words of each line that agents appended to `$TORTURE_SEEN`. */
    seen: () => linesIn(at('seen')).map((line) => line.split(' ')),
    /** Each process that still runs, in words. */
    survivors: () => survivorsOf(marker),
    /** Ends what still runs. @param what happens to the folder. */
    async close(what: 'removed' | 'kept'): Promise<void> {
      await endSurvivors(marker);
      if (what === 'removed') rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

export const survivorsOf = (marker: string): string[] =>
  findSurvivors(marker).map(({ pid, command }) => `${pid} ${command.slice(0, 120)}`);

export function writeTask(project: string, task_id: string, manifest: object): void {
  const folder = path.join(project, '.tmp/task', task_id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify({ task_id, goal: 'Find out.', ...manifest }));
}

const bundles = new Map<string, string>();

/** Bundles an agent in TypeScript into one file, since each start of its source would cost half a second. */
export function agentOf(source: string): string {
  const known = bundles.get(source);
  if (known !== undefined) return known;
  const options = { bundle: true, platform: 'node', format: 'cjs', write: false, logLevel: 'error' } as const;
  const text = `#!${process.execPath}\n${buildSync({ entryPoints: [source], ...options }).outputFiles[0]!.text}`;
  bundles.set(source, text);
  return text;
}

/** The answer of an agent has this for the id of its call. */
export const CALL = '@ID@';

/** Returns a shell command that prints the lines as one write; the shell inserts the id. */
export function printed(lines: readonly string[]): string {
  const text = lines.join('\n').replaceAll("'", "'\\''").replaceAll(CALL, `'"$id"'`);
  return `printf '%s\\n' '${text}'`;
}

/** The answer of the call with that id. */
export const answerOf = (id: string): string => `the answer of ${id}`;

export function textOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Without those that are empty. */
export const linesIn = (file: string): string[] => textOr(file).split('\n').filter(Boolean);

export function readdirOr(folder: string, depth: 'flat' | 'recursive' = 'flat'): string[] {
  try {
    return readdirSync(folder, { recursive: depth === 'recursive' }) as string[];
  } catch {
    return [];
  }
}
