// What an agent does with tollgate mcp beside running: it creates a task, supervises, answers, reads logs, classifies, and sees progress.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuiltIn } from '../../../../policies/facts/tools.ts';
import { startDocumentApi } from '../../../rig/document-api.ts';
import { type McpClient, openMcp } from '../../../rig/mcp-client.ts';
import { answerWith, failWith } from '../../../rig/streams.ts';
import { REASONER, superviseTask } from '../../../rig/supervise-run.ts';
import { ANY_ANSWER, makeTask } from '../../../rig/task-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';

/** One server that reads, for all tests that need no other one; each has tasks of its own. */
const test = suite<{ rig: TestRig; mcp: McpClient }>('the tools of tollgate mcp');
test.before(async (context) => {
  context.rig = await TestRig.open();
  context.mcp = await openMcp(context.rig);
});
test.after(async ({ rig, mcp }) => {
  await mcp.close();
  await rig.dispose();
});

const CODEX = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };

/** A busy machine takes longer than a client waits at once. */
async function ended({ ask }: McpClient, said: Awaited<ReturnType<McpClient['ask']>>) {
  let last = said;
  while (last.object?.state === 'running') last = await ask('wait', { run_id: last.object.run_id, wait_ms: 20_000 });
  return last;
}

test('a tool that may call a model says that it reaches out of this machine, and no other one does', async ({
  mcp,
}) => {
  const { tools } = await mcp.client.listTools();
  const open = tools.filter(({ annotations }) => annotations?.openWorldHint === true);
  assert.equal(open.map(({ name }) => name).sort(), ['answer', 'ask', 'compare', 'distill', 'run_task', 'supervise']);
  for (const { name, annotations } of tools) {
    assert.type(annotations?.openWorldHint, 'boolean', name);
    if (annotations?.openWorldHint) assert.is(annotations.readOnlyHint, false, name);
  }
});

test('a task is created once, never overwritten, and run by its next call', async ({ rig, mcp }) => {
  const calls = rig.calls.length;
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
  assert.is(rig.calls.length, calls);
});

test('a task that writes, and one whose pipeline is unknown here, need a server that allows it', async ({
  rig,
  mcp: reading,
}) => {
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
  const writing = await openMcp(rig, ['--access', 'write']);
  const made = await writing.ask('create_task', { task: 'change', goal: 'Change it.', supervise: true });
  assert.equal(made.object.next_call, { tool: 'supervise', arguments: { task: 'change' } }, made.text);
  await writing.close();
});

test('a supervised task asks the user, and the answer continues it to its end', async ({ rig, mcp }) => {
  let asked = 0;
  rig.answer(({ report }) => {
    if (report.tool !== REASONER) return answerWith('codex', 'read');
    asked += 1;
    const said = asked === 1 ? { action: 'ask', question: 'Which?' } : { action: 'done', summary: 'It is done.' };
    return answerWith(REASONER, JSON.stringify(said));
  });
  const task = superviseTask(rig);
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
});

test('a book that is paused is continued to its end, and pays for no section twice; a mistake in the request pays for nothing', async () => {
  const rig = await TestRig.open();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const key = 'test-key-of-the-loopback';
  const api = await startDocumentApi({ key, looks: 0, wait: ({ turn }) => (turn?.section === 2 ? held : null) });
  Object.assign(rig.env, { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: api.url });
  rig.write('republic.txt', 'The Republic, by Plato.\n');
  symlinkSync('/etc/passwd', path.join(rig.project, 'link.txt'));
  const mcp = await openMcp(rig);
  for (const [given, says] of [
    [{}, /give `book`.*or `name`/],
    [{ book: 'republic.txt', name: 'republic' }, /not both/],
    [{ book: '../republic.txt' }, /no file of this project/],
    [{ book: 'link.txt' }, /no file of this project/],
    [{ book: '/etc/passwd' }, /must match pattern/],
    [{ book: 'none.txt' }, /there is no book at/],
    [{ book: 'republic.txt', max_usd: 1, model: 'unheard-of' }, /price/],
    [{ name: 'none' }, /there is no distillation/],
    [{ name: 'none', pause: true }, /there is no distillation/],
    [{ name: 'republic', prompt: 'Be short.' }, /`prompt` and `via`/],
    [{ pause: true }, /`pause` needs `name`/],
  ] as const) {
    const said = await ended(mcp, await mcp.ask('distill', given));
    assert.is(said.isError, true, JSON.stringify(given));
    assert.match(said.text, says);
  }
  assert.is(api.paid().length, 0);
  const given = { book: 'republic.txt', model: 'gemini-2.5-pro', prompt: 'Distil.', wait_ms: 0 };
  const { object } = await mcp.ask('distill', given);
  await api.asked(2);
  const again = await mcp.ask('distill', given);
  assert.equal([again.object.run_id, again.object.asked_before], [object.run_id, true]);
  const noted = await mcp.ask('distill', { name: 'republic', pause: true });
  assert.equal([noted.isError, noted.object.state], [false, 'running'], noted.text);
  release();
  const paused = await ended(mcp, again);
  assert.equal([paused.isError, paused.object.reason, paused.object.sections], [true, 'asked', 2], paused.text);
  assert.equal(paused.object.next_actions[0].call, { tool: 'distill', arguments: { name: 'republic' } });
  const done = await ended(mcp, await mcp.ask('distill', { name: 'republic', wait_ms: 0 }));
  const { state, name, sections, document } = done.object;
  assert.equal([done.isError, state, name, sections], [false, 'complete', 'republic', 3], done.text);
  assert.match(readFileSync(document, 'utf8'), /^## /m);
  const { books } = (await mcp.ask('status')).object;
  assert.equal([books.length, books[0].name, books[0].state, books[0].calls.used], [1, 'republic', 'complete', 3]);
  assert.is(api.paid().length, 3);
  await mcp.close();
  await api.close();
  await rig.dispose();
});

test('two CLIs are compared, and the changes of one are applied, if the server allows writing', async () => {
  const rig = await TestRig.open();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: rig.project, env: rig.env });
  git('init', '-q');
  writeFileSync(path.join(rig.home, '.gitconfig'), '[user]\n\tname = User\n\temail = user@localhost\n');
  rig.write('.gitignore', '.tmp/\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  rig.answer(({ report: { tool } }) => [
    { do: 'save', file: 'who.txt', text: `${tool}\n` },
    ...answerWith(tool as BuiltIn, `I am ${tool}.`),
  ]);
  const given = {
    prompt: 'Write your name to who.txt',
    variants: ['codex', 'claude'],
    access: 'write',
    wait_ms: 20_000,
  };
  const reader = await openMcp(rig, ['--trust-workspace']);
  for (const [tool, refusedGiven, says] of [
    ['compare', given, /allows comparisons that read alone/],
    ['compare', { ...given, access: 'read', variants: ['codex'] }, /2 to 16 variants/],
    ['compare', { ...given, task: 'fix' }, /one of `prompt`, `task` and `resume`/],
    ['compare', { ...given, variants: ['--remove=last', 'codex'] }, /must match pattern/],
    ['pick_variant', { variant: '1' }, /changes no file of the project/],
    ['pick_variant', { variant: '--remove=last' }, /must match pattern/],
  ] as const) {
    const said = await ended(reader, await reader.ask(tool, refusedGiven));
    assert.is(said.isError, true, said.text);
    assert.match(said.text, says);
  }
  assert.is(rig.calls.length, 0);
  makeTask(rig, { stages: [{ tool: 'codex', role: 'impl', access: 'write', ...ANY_ANSWER }] }, 'fix');
  const named = await ended(reader, await reader.ask('compare', { prompt: 'fix', variants: ['codex', 'claude'] }));
  assert.equal([named.object.task_id, named.object.goal], [null, 'fix'], named.text);
  const mcp = await openMcp(rig, ['--trust-workspace', '--access=write']);
  const compared = await ended(mcp, await mcp.ask('compare', given));
  assert.is(compared.isError, false, compared.text);
  assert.equal(
    compared.object.variants.map(({ name, state, answer }: Record<string, unknown>) => [name, state, answer]),
    [
      ['codex', 'done', 'I am codex.'],
      ['claude', 'done', 'I am claude.'],
    ],
  );
  const picked = await mcp.ask('pick_variant', { variant: 'claude' });
  assert.equal([picked.isError, picked.object.files], [false, ['who.txt']], picked.text);
  assert.is(readFileSync(path.join(rig.project, 'who.txt'), 'utf8'), 'claude\n');
  assert.is(rig.calls.length, 4);
  const resumed = await ended(reader, await reader.ask('compare', { resume: compared.object.comparison_id }));
  assert.match(resumed.text, /allows comparisons that read alone/);
  await reader.close();
  await mcp.close();
  await rig.dispose();
});

test('an answer is held to a schema, and a cap or an account that cannot be is refused', async ({ rig, mcp }) => {
  rig.answer(() => answerWith('codex', '{"n": 1}'));
  const calls = rig.calls.length;
  const asks = async (more: object) => ended(mcp, await mcp.ask('ask', { cli: 'codex', prompt: 'Hi', ...more }));
  const fits = await asks({ schema: { type: 'object', required: ['n'] }, max_tokens: 1_000_000 });
  assert.equal([fits.isError, JSON.parse(fits.object.answer)], [false, { n: 1 }], fits.text);
  const misfit = await asks({ schema: { required: ['m'] } });
  assert.equal([misfit.isError, misfit.object.reason], [true, 'schema_mismatch'], misfit.text);
  assert.is(rig.calls.length, calls + 2);
  for (const [more, says] of [
    [{ schema: { type: 3 } }, /is not a JSON Schema/],
    [{ schema: { description: 'x'.repeat(100_000) } }, /at most 100000/],
    [{ max_usd: 1 }, /needs the price of the model/],
    [{ account: 'none' }, /none/],
  ] as const) {
    const { isError, text } = await asks(more);
    assert.is(isError, true, JSON.stringify(more));
    assert.match(text, says);
  }
  assert.is(rig.calls.length, calls + 2);
});

test('the logs of a call, and the verdict on an output from elsewhere', async ({ rig, mcp }) => {
  makeTask(rig, CODEX, 'refused');
  rig.answer(() => failWith('codex', 'unexpected status 401 Unauthorized: no', 401));
  await ended(mcp, await mcp.ask('run_task', { task: 'refused', wait_ms: 0 }));
  const logs = await mcp.ask('logs', { task: 'refused' });
  assert.match(JSON.stringify(logs.object.lines), /401 Unauthorized/);
  const last = await mcp.ask('logs', { task: 'refused', last: 1 });
  assert.equal([last.object.lines.length, last.object.more], [1, logs.object.lines.length - 1]);
  for (const given of [{ task: 'none' }, { task: 'refused', stage: 'codex_review' }])
    assert.type((await mcp.ask('logs', given)).isError, 'boolean');
  assert.is((await mcp.ask('logs', { task: 'none' })).isError, true);
  const stderr = 'ERROR: unexpected status 429 Too Many Requests: slow down\n';
  const { object } = await mcp.ask('triage', { cli: 'codex', stderr, exit_code: 1 });
  assert.equal([object.verdict.class, object.verdict.reason], ['transient', 'rate_limit']);
  assert.match(object.signature, /^v1:[0-9a-f]{64}$/);
  assert.is((await mcp.ask('triage', { cli: 'codx', stderr }).catch(() => ({ isError: true }))).isError, true);
});

test('progress carries the messages of the run, and grows with each', async ({ rig, mcp }) => {
  makeTask(rig, CODEX, 'followed');
  rig.answer(() => answerWith('codex', 'In login.ts.'));
  const heard: { progress: number; message?: string }[] = [];
  const onprogress = (one: { progress: number; message?: string }) => heard.push(one);
  let said = await mcp.ask('run_task', { task: 'followed', wait_ms: 45_000 }, { onprogress });
  while (said.object.state === 'running') said = await mcp.ask('wait', { run_id: said.object.run_id }, { onprogress });
  for (const [at, { progress }] of heard.entries()) assert.ok(at === 0 || progress > heard[at - 1]!.progress);
  const messages = heard.map(({ message }) => message ?? '');
  assert.ok(
    messages.some((message) => message.includes('codex_brief')),
    JSON.stringify(heard),
  );
});

test('in a folder that is not trusted the user is named as the one who can trust it', async ({ rig, mcp }) => {
  makeTask(rig, { stages: [{ tool: 'gemini', role: 'brief', ...ANY_ANSWER }] }, 'untrusted');
  rig.answer(() => [{ do: 'exit', code: 55 }]);
  const failed = await ended(mcp, await mcp.ask('run_task', { task: 'untrusted', wait_ms: 0 }));
  assert.equal([failed.isError, failed.object.reason], [true, 'untrusted'], failed.text);
  const [first] = failed.object.next_actions;
  assert.match(first.text, /not trusted.*Ask the user to run `tollgate trust`.*tollgate mcp --trust-workspace/);
});

test.run();
