// The accounts of a stage: the next one continues if the first is out of quota, in a session and a folder of its own.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BuiltIn, TOOLS } from '../../../policies/facts/tools.ts';
import { HOMES } from '../../../policies/limits/user-accounts.ts';
import type { FakeCall } from '../../rig/fake-call.ts';
import { answerWith, failWith, SESSION, STREAMS, type Stream, write } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('accounts of a stage');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  const names = TOOLS.flatMap((tool) => [`${tool}-first`, `${tool}-second`]);
  for (const name of names) mkdirSync(path.join(context.rig.home, name), { mode: 0o700 });
  const settings = path.join(context.rig.home, '.config/tollgate/settings.yaml');
  mkdirSync(path.dirname(settings), { recursive: true });
  const rows = names.map((name) => `  ${name}: {tool: ${name.split('-')[0]}, home: ~/${name}}\n`);
  writeFileSync(settings, `accounts:\n${rows.join('')}  by-key: {tool: codex, key: SECOND_KEY}\n`);
});
test.after.each(({ rig }) => rig.dispose());

const QUOTA = ['You exceeded your current quota, please check your plan and billing details.', 429] as const;

/** Whose folder the CLI of a call used. */
const accountOf = ({ report }: FakeCall): string =>
  path.basename(report.env[HOMES[report.tool as BuiltIn]] ?? 'the login of the environment');
const accountsOf = ({ calls }: TestRig): string[] => calls.map(accountOf);
const stageOf = (tool: BuiltIn) => ({
  ...{ tool, role: 'review', id: 'look', account: `${tool}-first` },
  fallback: [{ account: `${tool}-second` }],
  ...ANY_ANSWER,
});

const TRUST = '--trust-workspace';

for (const tool of TOOLS)
  test(`${tool}: the second account answers if the first is out of quota, one call each; each continues in its own session, and gets a hand-off for the other's`, async ({
    rig,
  }) => {
    const [one, two] = [SESSION.replace(/.$/, 'a'), SESSION.replace(/.$/, 'b')] as const;
    let isOut = false;
    rig.answer((call) => {
      if (accountOf(call).endsWith('second')) return answerWith(tool, 'second', two);
      return isOut ? failWith(tool, ...QUOTA, one) : answerWith(tool, 'first', one);
    });
    const taskOf = (id: string) => makeTask(rig, { stages: [stageOf(tool)], meta: { feature: 'login' } }, id);
    await taskOf('one').run(TRUST);
    isOut = true;
    const task = taskOf('two');
    const { code, report, said } = await task.run(TRUST);
    assert.equal([code, accountsOf(rig).slice(1)], [0, [`${tool}-first`, `${tool}-second`]], said);
    const words = `${tool} (account ${tool}-second) was asked in place of ${tool} (account ${tool}-first)`;
    assert.match(report.stages[0]!.warnings.join(), words);
    assert.match(task.read('outputs/_summary.md'), words);
    assert.is(JSON.parse(task.read(`outputs/look.${tool}.call.json`)).account, `${tool}-second`);
    const reserved = [...task.journal.read().ledger.calls.values()].map((call) => call.reserved.account);
    assert.equal(reserved, [`${tool}-first`, `${tool}-second`]);
    const { stdout } = await rig.run('tollgate', ['report', '--format=html']);
    assert.match(stdout, `<td>${tool} (account ${tool}-second) for ${tool} (account ${tool}-first)</td>`);
    const file = path.join(rig.project, '.tmp/state/sessions.json');
    const kept = Object.entries<{ session_id: string; account: string }>(
      JSON.parse(readFileSync(file, 'utf8')).active_sessions.login,
    );
    assert.equal(
      kept.map(([key, { session_id, account }]) => [key.split('@')[0], session_id, account]),
      [
        [`${tool}/${tool}-first`, one, `${tool}-first`],
        [`${tool}/${tool}-second`, two, `${tool}-second`],
      ],
    );
    const [, again, second] = rig.calls.map((call) => call.report.argv.join(' ').includes(one));
    assert.equal([again, second], [true, false], said);
    assert.match(said, `it belongs to the account ${tool}-first`);
  });

test('a run fails with the quota if both accounts are out of it, and no account continues once a tool has run', async ({
  rig,
}) => {
  const { opens, runsTool, fails }: Stream = STREAMS.codex;
  const ranTool = [...opens(SESSION), ...runsTool('done'), ...fails(...QUOTA, SESSION)];
  for (const [id, answer, calls] of [
    ['out', failWith('codex', ...QUOTA), ['codex-first', 'codex-second']],
    ['worked', [write(ranTool), { do: 'exit', code: 1 }], ['codex-first']],
  ] as const) {
    const before = rig.calls.length;
    rig.answer(() => answer);
    const { code, report } = await makeTask(rig, { stages: [stageOf('codex')] }, id).run(TRUST);
    assert.equal([code, accountsOf(rig).slice(before), report.failure?.class], [1, calls, 'quota']);
  }
});

test('a quota is held for its account, and a run does not call it again', async ({ rig }) => {
  const out = ['You exceeded your current quota. Please retry in 7200s.', 429] as const;
  rig.answer((call) => (accountOf(call) === 'codex-first' ? failWith('codex', ...out) : answerWith('codex', 'second')));
  await makeTask(rig, { stages: [stageOf('codex')] }, 'one').run(TRUST);
  const { stdout } = await rig.run('tollgate', ['budget']);
  assert.match(stdout, 'codex (account codex-first) is held');
  const { code } = await makeTask(rig, { stages: [stageOf('codex')] }, 'two').run(TRUST);
  assert.equal([code, accountsOf(rig)], [0, ['codex-first', 'codex-second', 'codex-second']]);
  const accounts = JSON.parse((await rig.run('tollgate', ['accounts', '--json'])).stdout).accounts as {
    name: string;
    holds: string[];
    used: { calls: number };
  }[];
  const shown = accounts
    .filter(({ used }) => used.calls > 0)
    .map(({ name, holds, used }) => [name, holds.length, used.calls]);
  assert.equal(shown, [
    ['codex-first', 1, 1],
    ['codex-second', 0, 2],
  ]);
});

for (const [on, calls, answer] of [
  [['quota'], ['codex-first'], 'not_signed_in'],
  [['quota', 'auth'], ['codex-first', 'claude-first'], undefined],
] as const)
  test(`a second account that is not signed in is not called, with fallback_on ${on}`, async ({ rig }) => {
    rig.install('codex', {}, 'published');
    writeFileSync(path.join(rig.home, 'codex-first/auth.json'), '{"OPENAI_API_KEY": "sk-first-0000000000"}');
    rig.answer(({ report }) => (report.tool === 'codex' ? failWith('codex', ...QUOTA) : answerWith('claude', 'third')));
    const fallback = [{ account: 'codex-second' }, { tool: 'claude', account: 'claude-first' }];
    const { report } = await makeTask(rig, { stages: [{ ...stageOf('codex'), fallback, fallback_on: on }] }).run(TRUST);
    assert.equal([accountsOf(rig), report.failure?.reason], [calls, answer]);
  });

test('status and the report name the account of a call', async ({ rig }) => {
  const task = makeTask(rig, { stages: [stageOf('codex')] });
  const running = task.start(TRUST);
  const fake = await rig.call();
  assert.match((await rig.run('tollgate', ['status'])).stdout, ' codex (account codex-first) ');
  await fake.tell(...answerWith('codex', 'Hello.'));
  await running.result;
  const { tasks } = JSON.parse((await rig.run('tollgate', ['report', '--format=json'])).stdout);
  assert.is(tasks[0].stages[0].account, 'codex-first');
});

test('env_allow does not withhold the key of the account of a stage', async ({ rig }) => {
  Object.assign(rig.env, { SECOND_KEY: 'sk-second-0000000000', CODEX_API_KEY: 'sk-of-all-0000000000' });
  rig.answer(() => answerWith('codex', 'Hello.'));
  const stages = [{ ...stageOf('codex'), account: 'by-key', fallback: [] }];
  const { code } = await makeTask(rig, { stages, security: { env_allow: [] } }).run(TRUST);
  assert.equal([code, rig.calls[0]!.report.env.CODEX_API_KEY], [0, 'sk-second-0000000000']);
});

for (const [what, stage, says] of [
  ['unknown', { account: 'codex-frist' }, 'there is no account "codex-frist"'],
  ['of another CLI', { account: 'claude-first' }, 'the account claude-first is one of claude, not of codex'],
  ['unknown, of a fallback', { fallback: [{ account: 'gone' }] }, 'there is no account "gone"'],
  ['named twice', { fallback: [{ account: 'codex-first' }] }, 'codex (account codex-first) is named twice'],
] as const)
  test(`an account ${what}, is a mistake of the manifest that costs nothing`, async ({ rig }) => {
    const { code, said } = await makeTask(rig, { stages: [{ ...stageOf('codex'), ...stage }] }).run(TRUST);
    assert.equal([code, rig.calls.length], [2, 0]);
    assert.match(said, says);
  });

test.run();
