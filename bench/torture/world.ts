// The world of one round: a project, a home, agents on the PATH, and what the model's service saw of them.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TOOLS } from '../../policies/facts/tools.ts';
import { endSurvivors, findSurvivors, type Survivor } from '../../test/rig/survivors.ts';
import { fakeAgent } from './agent.ts';
import { binaryOf, DESCRIBED } from './described.ts';
import type { Behaviour } from './plan.ts';

/** What the service saw of a call, in the order in which it came. */
export interface Seen {
  /** `answered`: the whole answer was on disk by then. */
  what: 'begun' | 'answered';
  id: string;
}

export interface World {
  root: string;
  project: string;
  temporary: string;
  env: Record<string, string>;
  /** The environment of a run in which the agents behave so; each list begins with the round's first call. */
  behaving(behaviours: readonly Behaviour[]): Record<string, string>;
  seen(): Seen[];
  /** The text that the call with that id answers. */
  answerOf(id: string): string;
  survivors(): Survivor[];
  dispose(): Promise<void>;
}

/** With fake agents, each noting in a file what it was asked. */
export function fakeWorld(n: number): World {
  const root = mkdtempSync(path.join(tmpdir(), `torture-${n}-`));
  const [project, home, bin, temporary] = ['project', 'home', 'bin', 'tmp'].map((name) => {
    mkdirSync(path.join(root, name));
    return path.join(root, name);
  }) as [string, string, string, string];
  const seenFile = path.join(root, 'seen');
  writeFileSync(seenFile, '');
  for (const tool of [...TOOLS, DESCRIBED]) {
    const file = path.join(bin, binaryOf(tool));
    writeFileSync(file, fakeAgent(tool));
    chmodSync(file, 0o755);
  }
  const marker = `TORTURE_ROUND=${path.basename(root)}`;
  const env = {
    PATH: `${bin}:${path.dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: home,
    TMPDIR: temporary,
    TORTURE_ROUND: path.basename(root),
    TORTURE_SEEN: seenFile,
    NO_COLOR: '1',
  };
  return {
    root,
    project,
    temporary,
    env,
    behaving: (behaviours) => ({ ...env, TORTURE_SCRIPT: behaviours.join(' ') }),
    seen: () => seenIn(readFileSync(seenFile, 'utf8')),
    answerOf: (id) => `the answer of ${id}`,
    survivors: () => findSurvivors(marker),
    async dispose() {
      await endSurvivors(marker);
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

const seenIn = (text: string): Seen[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' ') as [Seen['what'], string])
    .map(([what, id]) => ({ what, id }));
