// tollgate run on a terminal: a line for each stage, one that moves with the call, and a short page at the end.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callLine, stageLine } from '../../../bin/tollgate/reporting.ts';
import { answerWith, failWith, SESSION, STREAMS, write } from '../../rig/streams.ts';
import { play, superviseTask } from '../../rig/supervise-run.ts';
import { ANY_ANSWER, makeTask, NO_REST } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('run on a terminal');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

/** macOS has another script(1), with other flags. */
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;
const can = hasTerminal ? test : test.skip;
if (!hasTerminal) console.log('SKIPPED: there is no script(1) of util-linux to give a command a terminal');

const TWO = {
  stages: [
    { tool: 'codex', role: 'brief', ...ANY_ANSWER },
    { tool: 'codex', role: 'review', ...ANY_ANSWER },
  ],
};

can(
  'each stage has a line, the running call names its command without its secret, and the end is a page',
  async ({ rig }) => {
    rig.write('tollgate.yaml', NO_REST);
    makeTask(rig, TWO);
    const terminal = onTerminal(rig, 'run fix --no-menu');
    await (await rig.call()).tell(...answerWith('codex', 'ok'));
    const second = await rig.call();
    const command = 'curl -H "Authorization: Bearer sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"';
    const item = { id: 'item_0', type: 'command_execution', command, status: 'in_progress' };
    await second.tell(write([...STREAMS.codex.opens(SESSION), JSON.stringify({ type: 'item.started', item })]));
    await terminal.says(/codex_review: codex runs curl -H .* of \d+ min; paid call 2 of 10/);
    await second.tell(...failWith('codex', 'unexpected status 401 Unauthorized: Incorrect API key provided', 401));
    const { said, code } = await terminal.ended;
    assert.is(code, 1, said);
    assert.not.match(said, /abcdefghijklmnop|tollgate: stage|# Task/);
    assert.match(said, /✓ codex_brief {2}done {2}codex {2}[\d.]+ s {2}1 call/);
    assert.match(said, /✗ codex_review {2}failed: auth \(bad_key\) {2}codex/);
    const page = said.slice(said.indexOf('✗ fix: The service rejected the API key as invalid.\r'));
    for (const line of [
      /^ {2}failed at codex_review, auth \(bad_key\)\r$/m,
      /^ {2}evidence +unexpected status 401/m,
      /^ {2}next +1\. run `codex login`/m,
      /^ {2}cost +2 of 10 paid calls used, 8 left/m,
      /^ {2}summary +\.tmp\/task\/fix\/outputs\/_summary\.md\r$/m,
    ])
      assert.match(page, line);
  },
);

for (const [what, lines, shown] of [
  [
    'the end of its stderr',
    'one\ntwo\nthree\nfour\nodd end\n',
    / {2}stderr +two\r\n +three\r\n +four\r\n +odd end\r\n/,
  ],
  ['that it is empty', '', / {2}stderr +empty: the CLI reported no error\r\n/],
] as const)
  can(`a failure that no rule knows shows ${what}`, async ({ rig }) => {
    makeTask(rig, { stages: [TWO.stages[0]!], budgets: { retry_budget: 0 } });
    const terminal = onTerminal(rig, 'run fix --no-menu');
    await (await rig.call()).tell({ do: 'write', to: 'stderr', text: lines }, { do: 'exit', code: 96 });
    const { said } = await terminal.ended;
    assert.ok(shown.test(said), said);
  });

can('a question of the reasoner is put to the person at the terminal', async ({ rig }) => {
  superviseTask(rig, { goal: 'Merge it.' });
  play(rig, [{ action: 'ask', question: 'Which branch?' }]);
  const { said } = await onTerminal(rig, 'supervise fix').ended;
  assert.match(said, / {2}question +Which branch\?\r\n/);
  assert.match(said, / {2}next +answer it: `tollgate answer fix "YOUR ANSWER"`\r\n/);
});

function onTerminal(rig: TestRig, words: string) {
  const command = `stty cols 220 rows 40; '${process.execPath}' '${path.resolve('dist/tollgate.cjs')}' ${words}`;
  const terminal = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: rig.project,
    env: { ...rig.env, TERM: 'xterm', NO_COLOR: '1', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(terminal, 'close').then(([code]) => ({ said, code: code as number }));
  const says = async (what: RegExp) => {
    while (!what.test(said)) {
      const next = await Promise.race([once(terminal.stdout, 'data'), ended.then(() => null)]);
      if (next === null) throw new Error(`it ended, and did not say ${what}:\n${said}`);
    }
  };
  return { ended, says };
}

test('the figures of the moving line remain when its action is cut, and control characters do not reach it', ({
  rig,
}) => {
  const command = `echo \u001b[31m ${'x'.repeat(300)}`;
  const item = { id: 'item_0', type: 'command_execution', command, status: 'in_progress' };
  const events = rig.write('events', `${JSON.stringify({ type: 'item.started', item })}\n`);
  const call = { stage: 'codex_impl', tool: 'codex', events, timeoutMs: 600_000, paid: ['paid call 2 of 10'] } as const;
  const figures = '(1 min 5 s of 10 min; paid call 2 of 10)';
  const hidden = callLine({ ...call, hide: (text) => text }, 65_000, 80);
  assert.ok([...hidden].length <= 80, hidden);
  assert.ok(hidden.endsWith(`… ${figures}`) && !hidden.includes('\u001b'), hidden);
  // Without the secrets of its task, no command is named.
  assert.is(callLine(call, 65_000, 90), `codex_impl: codex runs a shell command ${figures}`);
});

const ENDED = {
  stage: 'codex_impl',
  tool: 'codex',
  calls: 2,
  duration_ms: 65_000,
  tokens: 9450,
  class: null,
  reason: null,
} as const;
const LINES: [state: string, more: object, line: string][] = [
  ['done', {}, '✓ codex_impl  done  codex  1 min 5 s  2 calls  9,450 tokens'],
  [
    'failed',
    { class: 'quota', reason: 'plan' },
    '✗ codex_impl  failed: quota (plan)  codex  1 min 5 s  2 calls  9,450 tokens',
  ],
  ['done_earlier', { calls: 0 }, '✓ codex_impl  done earlier'],
  ['pending', { calls: 0 }, '○ codex_impl  not started'],
  ['interrupted', { calls: 1, tokens: null }, '■ codex_impl  interrupted  codex  1 min 5 s  1 call'],
];
for (const [state, more, line] of LINES)
  test(`the line of a stage that is ${state}`, () => {
    assert.is(stageLine({ ...ENDED, ...more, state }, { width: 80, ink: 'plain' }), line);
  });

test.run();
