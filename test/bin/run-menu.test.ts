// On a terminal a run whose conversation stays broken asks what is to become of it (through script(1), which gives it a terminal).

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeSession, SESSION_IDS, sessionFile } from '../rig/session-files.ts';
import { failWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask, NO_REST } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('menu after a run');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

/** macOS has another script(1), with other flags. */
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;
const can = hasTerminal ? test : test.skip;
if (!hasTerminal) console.log('SKIPPED: there is no script(1) of util-linux to give a command a terminal');

const BROKEN = 'No tool output found for function call call_1.';
const ANSWERED = { prompt: '[Feature: fix]\n\none', answer: 'ONE' };
const DOWN = '\u001b[B';
const ENTER = '\r';

const ROWS: [what: string, keys: string, says: RegExp, isChanged: boolean][] = [
  ['Enter takes the last turn back', ENTER, /turn 2 is taken back, with its prompt; 1 stands/, true],
  ['the last choice leaves it as it is', `${DOWN}${DOWN}${DOWN}${ENTER}`, /nothing was changed/, false],
  ['Ctrl-C leaves it as it is', '\u0003', /nothing was changed/, false],
];

for (const [what, keys, says, isChanged] of ROWS)
  can(what, async ({ rig }) => {
    rig.write('tollgate.yaml', NO_REST);
    const id = SESSION_IDS.codex;
    const two = { prompt: 'two', answer: 'TWO' };
    makeSession('codex', rig, [ANSWERED, two]);
    const before = readFileSync(sessionFile('codex', rig.home, id));
    rig.answer(() => failWith('codex', BROKEN, 400, id));
    makeTask(rig, { stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER }], meta: { session_id: id } });
    const { said, code } = await onTerminal(rig, 'run fix', keys);
    assert.match(said, /Deep rollback/);
    assert.match(said, says);
    assert.match(said, /Task fix: failed at codex_review, tooling \(broken_history\)/);
    assert.is(code, 1);
    assert.is(!readFileSync(sessionFile('codex', rig.home, id)).equals(before), isChanged);
  });

test.run();

/** @param keys are pressed once the menu is there. */
async function onTerminal(rig: TestRig, words: string, keys: string): Promise<{ said: string; code: number }> {
  const command = `stty cols 100 rows 40; ${process.execPath} ${path.resolve('dist/tollgate.cjs')} ${words}`;
  const terminal = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: rig.project,
    env: { ...rig.env, TERM: 'xterm', NO_COLOR: '1', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  let pressed = false;
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (pressed || !said.includes('to navigate')) return;
    pressed = true;
    terminal.stdin.write(keys);
  });
  const [code] = await once(terminal, 'close');
  return { said, code: code as number };
}
