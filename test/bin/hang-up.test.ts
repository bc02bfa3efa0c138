// A command that was started to survive its terminal does so; another ends by HUP.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('hang-up');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.rig.write('ask.md', 'Say hello.\n');
});
test.after.each(({ rig }) => rig.dispose());

const CODEX = path.resolve(import.meta.dirname, '../../dist/run_codex.cjs');
const CALL = `"${process.execPath}" "${CODEX}" --prompt-file=ask.md --out=o --err=e --pid-file=pid`;

/** Started by this line of bash, then hung up on; one that survives that is told to end besides. */
async function hangUp(rig: TestRig, line: string, survives: 'survives' | 'ends'): Promise<number> {
  const shell = spawn('bash', ['-c', line], { cwd: rig.project, env: rig.env, timeout: 200_000 });
  const ended = once(shell, 'exit');
  await rig.call();
  const pid = Number(readFileSync(path.join(rig.project, 'pid'), 'utf8'));
  process.kill(pid, 'SIGHUP');
  // Sent at once, the second may be taken first.
  if (survives === 'survives') process.kill(pid, 'SIGTERM');
  const [code] = await ended;
  return code as number;
}

const LINES: [line: string, code: number][] = [
  [`${CALL} & wait $!`, 129],
  [`nohup ${CALL} & wait $!`, 143],
];
// Elsewhere nothing tells what the parent ignores.
if (process.platform === 'linux')
  LINES.push([`trap '' HUP; ${CALL}; exit $?`, 143], [`nohup bash -c '${CALL}; exit $?' & wait $!`, 143]);
for (const [line, code] of LINES)
  test(`${line.replace(CALL, 'run_codex')} ends with ${code}`, async ({ rig }) => {
    assert.is(await hangUp(rig, line, code === 129 ? 'ends' : 'survives'), code);
    assert.equal(rig.survivors(), []);
  });

test.run();
