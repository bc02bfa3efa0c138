// Limits a tool to one call at once, and starts a call of another process that takes the only slot.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BuiltIn, COMMANDS } from '../../policies/facts/tools.ts';
import type { RunningCommand } from './running-command.ts';
import type { TestRig } from './test-rig.ts';

/** Over all tasks of the rig's user. */
export function limitToOne(rig: TestRig, tool: BuiltIn): void {
  const folder = path.join(rig.home, '.local/state/tollgate/limits');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(folder, 'limits.json'), JSON.stringify({ at_once: { [tool]: 1 } }));
}

/** The call of a wrapper by hand. */
export function callOfOwn(rig: TestRig, tool: BuiltIn): RunningCommand {
  rig.write('ask.md', 'Say hello.\n');
  const files = ['--out', 'other.out', '--err', 'other.err', '--result', 'other.json'];
  return rig.start(COMMANDS[tool], ['--prompt-file', 'ask.md', ...files]);
}
