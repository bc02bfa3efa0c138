// A real CLI as a person starts it, without any of our commands around it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import { CLIS, type RealHome } from './real-home.ts';

/** The pinned one, whatever stands before it on the PATH. */
export async function speak(home: RealHome, tool: BuiltIn, argv: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(path.join(CLIS, '.bin', tool), argv, {
    ...{ cwd: home.project, env: { ...home.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const [code] = await once(child, 'close');
  return { code: code as number | null, said };
}
