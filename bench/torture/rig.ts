// Provides what all tortures share: the place of a round with its agents, signals, and the results of rounds in words.

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';

export interface Place {
  root: string;
  /** A path below the root. */
  at(name: string): string;
  env: Record<string, string>;
  /** A value in the environment of all processes of the round. */
  marker: string;
}

/**
 * Creates a folder with a home, a project and agents.
 * @param marks the variable that holds the name of the round.
 */
export function makePlace(name: string, agents: Record<string, string> = {}, marks = 'TORTURE_ROUND'): Place {
  const root = mkdtempSync(path.join(tmpdir(), `${name}-`));
  const at = (name: string) => path.join(root, name);
  for (const folder of ['home', 'bin', 'tmp', 'project']) mkdirSync(at(folder));
  for (const [binary, script] of Object.entries(agents)) {
    writeFileSync(at(`bin/${binary}`), script);
    chmodSync(at(`bin/${binary}`), 0o755);
  }
  const env = {
    PATH: `${at('bin')}:${path.dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: at('home'),
    TMPDIR: at('tmp'),
    [marks]: path.basename(root),
    NO_COLOR: '1',
  };
  return { root, at, env, marker: `${marks}=${path.basename(root)}` };
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

/** A placeholder for the id of its call in the answer of an agent. */
export const CALL = '@ID@';

/** Returns a shell command that prints the lines as one write; the shell inserts the id. */
export function printed(lines: readonly string[]): string {
  const text = lines.join('\n').replaceAll("'", "'\\''").replaceAll(CALL, `'"$id"'`);
  return `printf '%s\\n' '${text}'`;
}

/** The answer of the call with that id. */
export const answerOf = (id: string): string => `the answer of ${id}`;

/** Splits lines into words. */
export const wordsIn = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '));

/** @returns false if the process had already ended. */
export function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

export function readdirOr(folder: string, depth: 'flat' | 'recursive' = 'flat'): string[] {
  try {
    return readdirSync(folder, { recursive: depth === 'recursive' }) as string[];
  } catch {
    return [];
  }
}

export interface Judged {
  violations: readonly { what: string; why: string }[];
}

/** Sums over rounds. */
export function tallyOf<Round extends Judged>(rounds: readonly Round[], asked: number) {
  const sum = (count: (round: Round) => number, of = rounds) => of.reduce((all, round) => all + count(round), 0);
  return {
    sum,
    found: (...what: string[]) => sum(({ violations }) => violations.filter((one) => what.includes(one.what)).length),
    bad: rounds.filter(({ violations }) => violations.length > 0).length,
    cut: rounds.length < asked ? ` of ${asked} (the time was over)` : '',
  };
}
