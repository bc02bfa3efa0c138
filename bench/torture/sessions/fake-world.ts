// The world of a round with sessions whose agents are fake: each keeps its conversation as its CLI does.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { TOOLS } from '../../../policies/facts/tools.ts';
import { endSurvivors } from '../../../test/rig/survivors.ts';
import type { SessionPlan } from './plan.ts';
import type { SessionWorld } from './world.ts';

export async function fakeSessionWorld({ n, behaviours }: SessionPlan): Promise<SessionWorld> {
  const root = mkdtempSync(path.join(tmpdir(), `torture-sessions-${n}-`));
  const at = (name: string) => path.join(root, name);
  for (const name of ['home', 'bin', 'tmp', 'project']) mkdirSync(at(name));
  for (const tool of TOOLS) {
    writeFileSync(at(`bin/${tool}`), `#!${process.execPath}\n${agentText()}`);
    chmodSync(at(`bin/${tool}`), 0o755);
  }
  writeFileSync(at('seen'), '');
  return {
    project: at('project'),
    env: {
      PATH: `${at('bin')}:${path.dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: at('home'),
      TMPDIR: at('tmp'),
      TORTURE_ROUND: path.basename(root),
      TORTURE_SEEN: at('seen'),
      TORTURE_SCRIPT: behaviours.join(' '),
      NO_COLOR: '1',
    },
    calls: () => readFileSync(at('seen'), 'utf8').split('\n').length - 1,
    async close(what) {
      await endSurvivors(`TORTURE_ROUND=${path.basename(root)}`);
      if (what === 'removed') rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

let built: string | null = null;

/** One file, since each start of the TypeScript source would cost half a second. */
function agentText(): string {
  built ??= buildSync({
    entryPoints: [path.join(import.meta.dirname, 'agent.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
    logLevel: 'error',
  }).outputFiles[0]!.text;
  return built;
}
