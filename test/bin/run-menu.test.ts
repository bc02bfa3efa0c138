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
  ['Enter takes the last turn back', ENTER, /turn 2 is taken back, with its prompt; 1 turn remains/, true],
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
    assert.match(said, /refused: No tool output found for function call call_1\.[\s\S]*2 turns[\s\S]*Deep rollback/);
    assert.match(said, says);
    assert.match(
      said,
      /✗ fix: The service cannot continue this session, because its history is damaged\.[\s\S]*failed at codex_review, tooling \(broken_history\)/,
    );
    assert.is(code, 1);
    assert.is(!readFileSync(sessionFile('codex', rig.home, id)).equals(before), isChanged);
  });

const INVALID = '{"error": {"message": "Invalid value: the value of this parameter is odd.", "code": "invalid_value"}}';

const REFUSALS: [what: string, message: string, status: number, flags: string, isAsked: boolean][] = [
  ['any other 400', INVALID, 400, '', true],
  ['a 400 with --no-menu', INVALID, 400, '--no-menu', false],
  ['a broken history with --no-menu', BROKEN, 400, '--no-menu', false],
  ['a 503', 'the service is busy', 503, '', false],
  [
    'a sign-in that is refused by 400',
    '{"error": {"message": "API key not valid.", "code": "invalid_api_key"}}',
    400,
    '',
    false,
  ],
];
for (const [what, message, status, flags, isAsked] of REFUSALS)
  can(`${what} ${isAsked ? 'leads to the menu' : 'does not lead to the menu'}`, async ({ rig }) => {
    rig.write('tollgate.yaml', NO_REST);
    const id = SESSION_IDS.codex;
    makeSession('codex', rig, [ANSWERED, { prompt: 'two', answer: 'TWO' }]);
    rig.answer(() => failWith('codex', `unexpected status ${status} Bad Request: ${message}`, status, id));
    const stages = [{ tool: 'codex', role: 'review', ...ANY_ANSWER }];
    makeTask(rig, { stages, meta: { session_id: id }, budgets: { retry_budget: 0 } });
    const { said, code } = await onTerminal(rig, `run fix ${flags}`, ENTER);
    assert.is(code, 1, said);
    assert.is(/Deep rollback/.test(said), isAsked, said);
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
