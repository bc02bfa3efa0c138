// What an agent does with tollgate mcp beside running: it creates a task, supervises, answers, reads logs, classifies, and sees progress.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type McpClient, openMcp } from '../../../rig/mcp-client.ts';
import { answerWith, failWith } from '../../../rig/streams.ts';
import { REASONER, superviseTask } from '../../../rig/supervise-run.ts';
import { ANY_ANSWER, makeTask } from '../../../rig/task-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('the tools of tollgate mcp');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const CODEX = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };

/** A busy machine takes longer than a client waits at once. */
async function ended({ ask }: McpClient, said: Awaited<ReturnType<McpClient['ask']>>) {
  let last = said;
  while (last.object.state === 'running') last = await ask('wait', { run_id: last.object.run_id, wait_ms: 20_000 });
  return last;
}

test('a tool that may call a model says that it reaches out of this machine, and no other one does', async ({
  rig,
}) => {
  const { client, close } = await openMcp(rig);
  const { tools } = await client.listTools();
  const open = tools.filter(({ annotations }) => annotations?.openWorldHint === true);
  assert.equal(open.map(({ name }) => name).sort(), ['answer', 'ask', 'run_task', 'supervise']);
  for (const { name, annotations } of tools) {
    assert.type(annotations?.openWorldHint, 'boolean', name);
    if (annotations?.openWorldHint) assert.is(annotations.readOnlyHint, false, name);
  }
  await close();
});

test('a task is created once, never overwritten, and run by its next call', async ({ rig }) => {
  const mcp = await openMcp(rig);
  const made = await mcp.ask('create_task', { task: 'look', goal: 'Say where "the login" is.', max_calls: 3 });
  assert.is(made.isError, false, made.text);
  assert.equal(made.object.next_call, { tool: 'run_task', arguments: { task: 'look' } });
  const files = made.object.files as string[];
  const before = files.map((file) => readFileSync(file, 'utf8'));
  const again = await mcp.ask('create_task', { task: 'look', goal: 'Something else.' });
  assert.equal([again.isError, again.object.reason], [true, 'bad_input'], again.text);
  assert.equal(
    files.map((file) => readFileSync(file, 'utf8')),
    before,
  );
  assert.is((await mcp.ask('budget', { task: 'look' })).isError, false);
  assert.is(rig.calls.length, 0);
  await mcp.close();
});

test('a task that writes, and one whose pipeline is unknown here, need a server that allows it', async ({ rig }) => {
  const reading = await openMcp(rig);
  for (const given of [{ pipeline: 'safe_impl' }, { pipeline: 'of_the_project' }, { supervise: true }]) {
    const refused = await reading.ask('create_task', { task: 'change', goal: 'Change it.', ...given });
    assert.equal([refused.isError, refused.object.state], [true, 'refused'], JSON.stringify(given));
    assert.match(refused.object.message, /tollgate mcp --access write/);
  }
  assert.not.ok(existsSync(path.join(rig.project, '.tmp/task/change')));
  assert.is(
    (await reading.ask('create_task', { task: 'plan', goal: 'Plan.', pipeline: 'design_only' })).isError,
    false,
  );
  await reading.close();
  const writing = await openMcp(rig, ['--access', 'write']);
  const made = await writing.ask('create_task', { task: 'change', goal: 'Change it.', supervise: true });
  assert.equal(made.object.next_call, { tool: 'supervise', arguments: { task: 'change' } }, made.text);
  await writing.close();
});

test('a supervised task asks the user, and the answer continues it to its end', async ({ rig }) => {
  let asked = 0;
  rig.answer(({ report }) => {
    if (report.tool !== REASONER) return answerWith('codex', 'read');
    asked += 1;
    const said = asked === 1 ? { action: 'ask', question: 'Which?' } : { action: 'done', summary: 'It is done.' };
    return answerWith(REASONER, JSON.stringify(said));
  });
  const task = superviseTask(rig);
  const mcp = await openMcp(rig);
  const parked = await ended(mcp, await mcp.ask('supervise', { task: 'fix', wait_ms: 0 }));
  const { state, question, next_call } = parked.object;
  assert.equal([parked.isError, state, question], [false, 'parked', 'Which?'], parked.text);
  assert.equal(next_call, { tool: 'answer', arguments: { task: 'fix' } });
  const done = await ended(mcp, await mcp.ask('answer', { task: 'fix', text: 'The left one.', wait_ms: 0 }));
  assert.equal([done.isError, done.object.state], [false, 'done'], done.text);
  assert.ok(task.prompts(REASONER)[1]!.includes('The left one.'));
  const late = await mcp.ask('answer', { task: 'fix', text: '--anew' });
  assert.equal([late.object.state, late.object.task_state], ['noted', 'done'], late.text);
  makeTask(rig, CODEX, 'plain');
  for (const name of ['plain', 'none'])
    assert.is((await mcp.ask('answer', { task: name, text: 'x' })).isError, true, name);
  await mcp.close();
});

test('the logs of a call, and the verdict on an output from elsewhere', async ({ rig }) => {
  makeTask(rig, CODEX);
  rig.answer(() => failWith('codex', 'unexpected status 401 Unauthorized: no', 401));
  const mcp = await openMcp(rig);
  await ended(mcp, await mcp.ask('run_task', { task: 'fix', wait_ms: 0 }));
  const logs = await mcp.ask('logs', { task: 'fix' });
  assert.match(JSON.stringify(logs.object.lines), /401 Unauthorized/);
  const last = await mcp.ask('logs', { task: 'fix', last: 1 });
  assert.equal([last.object.lines.length, last.object.more], [1, logs.object.lines.length - 1]);
  for (const given of [{ task: 'none' }, { task: 'fix', stage: 'codex_review' }])
    assert.type((await mcp.ask('logs', given)).isError, 'boolean');
  assert.is((await mcp.ask('logs', { task: 'none' })).isError, true);
  const stderr = 'ERROR: unexpected status 429 Too Many Requests: slow down\n';
  const { object } = await mcp.ask('triage', { cli: 'codex', stderr, exit_code: 1 });
  assert.equal([object.verdict.class, object.verdict.reason], ['transient', 'rate_limit']);
  assert.match(object.signature, /^v1:[0-9a-f]{64}$/);
  assert.is((await mcp.ask('triage', { cli: 'codx', stderr }).catch(() => ({ isError: true }))).isError, true);
  await mcp.close();
});

test('progress carries the messages of the run, and grows with each', async ({ rig }) => {
  makeTask(rig, CODEX);
  rig.answer(() => answerWith('codex', 'In login.ts.'));
  const mcp = await openMcp(rig);
  const heard: { progress: number; message?: string }[] = [];
  const onprogress = (one: { progress: number; message?: string }) => heard.push(one);
  let said = await mcp.ask('run_task', { task: 'fix', wait_ms: 45_000 }, { onprogress });
  while (said.object.state === 'running') said = await mcp.ask('wait', { run_id: said.object.run_id }, { onprogress });
  for (const [at, { progress }] of heard.entries()) assert.ok(at === 0 || progress > heard[at - 1]!.progress);
  const messages = heard.map(({ message }) => message ?? '');
  assert.ok(
    messages.some((message) => message.includes('codex_brief')),
    JSON.stringify(heard),
  );
  await mcp.close();
});

test('in a folder that is not trusted the user is named as the one who can trust it', async ({ rig }) => {
  makeTask(rig, { stages: [{ tool: 'gemini', role: 'brief', ...ANY_ANSWER }] });
  rig.answer(() => [{ do: 'exit', code: 55 }]);
  const mcp = await openMcp(rig);
  const failed = await ended(mcp, await mcp.ask('run_task', { task: 'fix', wait_ms: 0 }));
  assert.equal([failed.isError, failed.object.reason], [true, 'untrusted'], failed.text);
  const [first] = failed.object.next_actions;
  assert.match(first.text, /not trusted.*Ask the user to run `tollgate trust`.*tollgate mcp --trust-workspace/);
  await mcp.close();
});

test.run();
