// The first command of what is to be done next, executed as it is printed: of refusals, batches, supervisions, views and tools.

import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NextAction } from '../../policies/facts/next-action.ts';
import type { FakeCommand } from '../rig/fake-call.ts';
import { openMcp } from '../rig/mcp-client.ts';
import { commandOf, edited, GUARDED, makeNpxProject, type NpxProject } from '../rig/npx-project.ts';
import { makeSession, SESSION_IDS } from '../rig/session-files.ts';
import { answerWith, failWith } from '../rig/streams.ts';
import { REASONER } from '../rig/supervise-run.ts';
import { ANY_ANSWER, NO_REST } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ world: NpxProject }>('next commands');
test.before.each(async (context) => {
  context.world = makeNpxProject(await TestRig.open());
});
test.after.each(({ world }) => world.rig.dispose());

const PASSED = '## Findings\n\n- none\n- at all\n- here\n\n## Verdict\n\nPASS\n';
const REVIEW = { tool: 'codex', role: 'review', ...ANY_ANSWER };

test('run: a folder that is not trusted, started by the link in node_modules/.bin', async ({ world }) => {
  const { rig, sh, shReal } = world;
  rig.answer(() => [{ do: 'exit', code: 55 }]);
  const task = world.task({ stages: [{ ...REVIEW, tool: 'gemini' }] });
  const { stdout } = await sh(`node_modules/.bin/tollgate run '${task.word}' --json`);
  const { next_actions, failure } = JSON.parse(stdout);
  assert.is(failure.reason, 'untrusted');
  const { command } = commandOf(next_actions);
  assert.is(command, `npx tollgate run '${task.word}' --trust-workspace`);
  rig.answer(() => answerWith('gemini', 'fine'));
  assert.is((await shReal(command)).code, 0);
});

test('wrapper: a CLI that cannot start', async ({ world }) => {
  const { rig, sh, write } = world;
  write('ask.md', 'Say hello.');
  rig.answer(() => [{ do: 'exit', code: 127 }]);
  const broken = await sh(
    `npm_command=exec node '${path.resolve('dist/run_codex.cjs')}' --prompt-file=ask.md --out=a.out --err=a.err --result=a.json`,
  );
  assert.match(broken.stderr, 'Next: install codex: `npm install -g @openai/codex`.');
  const { next_actions } = JSON.parse((await sh('cat a.json')).stdout);
  const command = next_actions.find((action: { command?: string }) => action.command?.includes('preflight'))?.command;
  assert.is(command, 'npx tollgate preflight --tools codex');
  assert.match((await sh(command)).stdout, 'codex');
});

test('run: a manifest that is wrong, and a prompt that has changed', async ({ world }) => {
  const { rig, sh } = world;
  rig.answer(() => answerWith('codex', 'fine'));
  const task = world.task({ stages: [{ ...REVIEW, tool: 'codx' }] });
  const wrong = JSON.parse((await sh(`npx tollgate run '${task.word}' --json`)).stdout);
  const first = commandOf(wrong.next_actions).command;
  edited((manifest) => Object.assign(manifest, { stages: [REVIEW] }))(world, task);
  assert.equal([(await sh(first)).code, rig.calls.length], [0, 1]);
  edited((manifest) => Object.assign(manifest, { goal: 'Find out more.' }))(world, task);
  const changed = JSON.parse((await sh(`npx tollgate run '${task.word}' --json`)).stdout);
  const keep = commandOf(changed.next_actions);
  assert.equal([(await sh(keep.command)).code, keep.pays, rig.calls.length], [0, false, 1]);
});

test('run: a finished task that is broken by now; nothing is written beside the task', async ({ world }) => {
  const { rig, sh, write, project } = world;
  rig.answer(() => answerWith('codex', 'fine'));
  write('mended', '');
  const task = world.task(GUARDED);
  assert.is((await sh(`npx tollgate run '${task.word}'`)).code, 0);
  rmSync(path.join(project, 'mended'));
  const broken = JSON.parse((await sh(`npx tollgate run '${task.word}' --recheck --json`)).stdout);
  const { command, pays } = commandOf(broken.next_actions);
  write('mended', '');
  assert.equal([(await sh(command)).code, pays, rig.calls.length], [0, false, 1]);
  // Nothing was written into the project beside the task and what the fakes saved.
  assert.equal(readdirSync(path.join(project, 'node_modules')), ['.bin']);
  assert.ok(existsSync(path.join(task.folder, 'outputs/_summary.md')));
});

test('run: a conversation that its service refuses', async ({ world }) => {
  const { rig, sh, write } = world;
  const id = SESSION_IDS.codex;
  write('tollgate.yaml', NO_REST);
  makeSession('codex', { home: rig.home, project: world.project } as TestRig, [
    { prompt: '[Feature: fix]\n\none', answer: 'ONE' },
    { prompt: 'two', answer: 'TWO' },
  ]);
  rig.answer(() => failWith('codex', 'No tool output found for function call call_1.', 400, id));
  const task = world.task({ stages: [REVIEW], meta: { session_id: id } });
  const failed = JSON.parse((await sh(`npx tollgate run '${task.word}' --json --no-repair`)).stdout);
  assert.is(failed.failure.reason, 'broken_history');
  const { command } = commandOf(failed.next_actions);
  const told = await sh(command);
  assert.is(told.code, 0, command + told.stderr);
  assert.match(told.stdout, /taken back/);
});

test('run: a program that is not there is named with what installs it', async ({ world }) => {
  const { rig, sh } = world;
  rig.uninstall('codex');
  const task = world.task({ stages: [REVIEW] });
  const failed = JSON.parse((await sh(`npx tollgate run '${task.word}' --json`)).stdout);
  // The one command that is not executed: it would install a program for the whole machine.
  const [install, check, again] = failed.next_actions as NextAction[];
  assert.match(install!.command!, /^npm install -g @openai\/codex(?:@\d+\.\d+\.\d+)?$/);
  rig.install('codex');
  rig.answer(() => answerWith('codex', 'fine'));
  assert.match((await sh(check!.command!)).stdout, /codex/);
  assert.equal([(await sh(again!.command!)).code, rig.calls.length], [0, 1]);
});

test('status, explain and a usage error', async ({ world }) => {
  const { rig, sh } = world;
  rig.answer(() => answerWith('codex', 'fine'));
  world.task({ stages: [REVIEW] }, '.tmp/task/new');
  const [row] = JSON.parse((await sh('npx tollgate status --json')).stdout).tasks;
  assert.equal([(await sh(row.next_action.command)).code, rig.calls.length], [0, 1]);
  const usage = JSON.parse((await sh('npx tollgate run --json')).stdout);
  assert.match((await sh(commandOf(usage.next_actions).command)).stdout, /tollgate run TASK \[options\]/);
  rig.answer(() => failWith('codex', 'unexpected status 500 Internal Server Error: boom', 500));
  world.task({ stages: [REVIEW], budgets: { retry_budget: 0 } }, '.tmp/task/bad');
  assert.is((await sh('npx tollgate run bad')).code, 1);
  const explained = JSON.parse((await sh('npx tollgate explain bad --json')).stdout);
  rig.answer(() => answerWith('codex', 'fine'));
  assert.is((await sh(commandOf(explained.next_actions).command)).code, 0);
});

test('batch: what failed is continued, and a sign-in is checked first', async ({ world }) => {
  const { rig, sh, shReal } = world;
  for (const id of ['a', 'b']) world.task({ stages: [REVIEW], budgets: { retry_budget: 0 } }, `my jobs/${id}`);
  const batch = "npx tollgate batch './my jobs/a' './my jobs/b' --concurrency 1 --json";
  rig.answer(() => (rig.calls.length === 1 ? answerWith('codex', 'fine') : failWith('codex', 'zorkmid', 1)));
  const failed = JSON.parse((await sh(batch)).stdout);
  rig.answer(() => answerWith('codex', 'fine'));
  const { command } = commandOf(failed.next_actions);
  assert.equal([(await shReal(command)).code, rig.calls.length], [0, 3], command);

  world.task({ stages: [REVIEW] }, 'my jobs/c');
  rig.answer(() => failWith('codex', 'unexpected status 401 Unauthorized: Incorrect API key provided', 401));
  const signedOut = JSON.parse((await sh("npx tollgate batch './my jobs/c' --json")).stdout);
  const [check, again] = signedOut.next_actions as NextAction[];
  assert.match((await sh(check!.command!)).stdout, /codex/);
  rig.answer(() => answerWith('codex', 'fine'));
  assert.is((await sh(again!.command!)).code, 0);
});

test('batch: tasks that cannot be run say what to do in words, for the same command continues', async ({ world }) => {
  world.task({ stages: [] }, 'my jobs/a');
  const { stdout, code } = await world.sh("npx tollgate batch './my jobs/a' --json");
  const { next_actions } = JSON.parse(stdout) as { next_actions: NextAction[] };
  assert.equal([code, next_actions.every(({ command }) => command === undefined)], [2, true]);
});

const SUPERVISED = { goal: 'Task A', supervise: { worker: { tool: 'codex' }, reasoner: { tool: REASONER } } };
const reasoned = (said: object) => answerWith(REASONER, JSON.stringify(said));

const LEFT: [how: string, reasoner: object, more: object][] = [
  ['saved', { action: 'save_session', why: 'later' }, {}],
  ['out of iterations', { action: 'continue', instruction: 'B' }, { max_iterations: 1 }],
];
for (const [how, said, more] of LEFT)
  test(`supervise: ${how}`, async ({ world }) => {
    const { rig, sh } = world;
    const task = world.task({ ...SUPERVISED, supervise: { ...SUPERVISED.supervise, ...more } });
    rig.answer(({ report }) => (report.tool === REASONER ? reasoned(said) : answerWith('codex', 'done')));
    const left = JSON.parse((await sh(`npx tollgate supervise '${task.word}' --json`)).stdout);
    const { command } = commandOf(left.next_actions);
    assert.match(command, /^npx tollgate supervise /);
    edited((manifest) => Object.assign(manifest, SUPERVISED))(world, task);
    rig.answer(({ report }) =>
      report.tool === REASONER ? reasoned({ action: 'done', summary: 'all' }) : answerWith('codex', 'done'),
    );
    const told = await sh(command);
    assert.is(told.code, 0, command + told.stderr);
  });

test('supervise: a question is answered with the line that is told', async ({ world }) => {
  const { rig, sh } = world;
  const task = world.task(SUPERVISED);
  rig.answer(({ report }) =>
    report.tool === REASONER ? reasoned({ action: 'ask', question: 'Which?' }) : answerWith('codex', 'done'),
  );
  const parked = JSON.parse((await sh(`npx tollgate supervise '${task.word}' --json`)).stdout);
  const [ask] = parked.next_actions as NextAction[];
  assert.is(ask!.command, undefined);
  const line = /: (npx tollgate answer .*)$/.exec(ask!.text)![1]!;
  rig.answer(({ report }) =>
    report.tool === REASONER ? reasoned({ action: 'done', summary: 'all' }) : answerWith('codex', 'done'),
  );
  assert.is((await sh(line.replace('…', 'This one.'))).code, 0, line);
});

test('supervise: one that was stopped', async ({ world }) => {
  const { rig, sh, project } = world;
  const task = world.task(SUPERVISED);
  const running = rig.start('tollgate', ['supervise', task.word, '--json'], {
    cwd: project,
    env: { npm_command: 'exec' },
  });
  const worker = await rig.callBefore(running.result);
  assert.ok(worker, running.stderr + running.stdout);
  running.signal('SIGINT');
  const { next_actions } = JSON.parse((await running.result).stdout);
  rig.answer(({ report }) =>
    report.tool === REASONER ? reasoned({ action: 'done', summary: 'all' }) : answerWith('codex', 'done'),
  );
  assert.is((await sh(commandOf(next_actions).command)).code, 0);
});

test('mcp: the tool that is named does it', async ({ world }) => {
  const { rig, project } = world;
  const mcp = await openMcp({ env: rig.env, project } as unknown as TestRig);
  const run = async (tool: string, given: Record<string, unknown>) => {
    let said = await mcp.ask(tool, { ...given, ...(tool === 'preflight' ? {} : { wait_ms: 20_000 }) });
    while (said.object.state === 'running')
      said = await mcp.ask('wait', { run_id: said.object.run_id, wait_ms: 20_000 });
    return said;
  };
  const scenes: [id: string, manifest: object, fails: FakeCommand[], tool: string][] = [
    [
      'busy',
      {},
      failWith('codex', 'unexpected status 500 Internal Server Error: boom', 500) as FakeCommand[],
      'run_task',
    ],
    [
      'lacks',
      { stages: [{ tool: 'codex', role: 'review' }] },
      answerWith('codex', 'fine') as FakeCommand[],
      'run_task',
    ],
    ['key', {}, failWith('codex', 'unexpected status 401 Unauthorized: no', 401) as FakeCommand[], 'preflight'],
  ];
  for (const [id, more, fails, tool] of scenes) {
    world.task({ stages: [REVIEW], budgets: { retry_budget: 0 }, ...more }, `.tmp/task/${id}`);
    rig.answer(() => fails);
    const failed = await run('run_task', { task: id });
    const next = failed.object.next_actions as { call?: { tool: string; arguments: Record<string, unknown> } }[];
    assert.not.match(JSON.stringify(next), '"command"');
    const { call } = next.find(({ call }) => call !== undefined)!;
    assert.is(call!.tool, tool, failed.text);
    rig.answer(() => answerWith('codex', PASSED));
    const done = await run(call!.tool, call!.arguments);
    assert.is(done.isError, false, done.text);
    if (tool === 'run_task') assert.is(done.object.state, 'done');
  }
  await mcp.close();
});

test.run();
