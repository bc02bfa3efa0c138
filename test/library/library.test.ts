// The library as a program of somebody else's imports it: the examples of its page, failures as values, a signal, and its types.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wrapperSpec } from '../../bin/wrapper/wrapper-flags.ts';
import type { ToolAnswer } from '../../library/call-surface.ts';
import { CALL_OPTIONS, flagOf } from '../../library/options.ts';
import type { TaskEnd, TaskStanding } from '../../library/surface.ts';
import { CLASSES } from '../../policies/facts/classes.ts';
import { TOOLS } from '../../policies/facts/tools.ts';
import { FAILURE_REASONS } from '../../policies/verdict/reasons.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { answerWith, failWith, SESSION, STREAMS, write } from '../rig/streams.ts';
import { REASONER, superviseTask } from '../rig/supervise-run.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { installLibrary, program, resultsOf } from '../rig/user-program.ts';
import { waitWhile } from '../rig/wait-while.ts';

const test = suite<{ rig: TestRig }>('the library');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  installLibrary(context.rig);
});
test.after.each(({ rig }) => rig.dispose());

const CODEX = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };

test('the examples of its page run, one after another', async ({ rig }) => {
  makeTask(rig, CODEX, 'fix-login');
  superviseTask(rig, {}, 'login');
  rig.write('.gitignore', '*\n');
  writeFileSync(path.join(rig.home, '.gitconfig'), '[user]\n\tname = User\n\temail = user@localhost\n');
  for (const words of ['init -q', 'add -f .gitignore', 'commit -qm first'])
    execFileSync('git', words.split(' '), { cwd: rig.project, env: rig.env });
  let reasons = 0;
  rig.answer(({ report }) => {
    if (report.tool !== REASONER) return answerWith('codex', 'It is mended.');
    reasons += 1;
    const says = reasons === 1 ? { action: 'ask', question: 'Which?' } : { action: 'done', summary: 'It is done.' };
    return answerWith(REASONER, JSON.stringify(says));
  });
  const blocks = [...readFileSync('docs/library.md', 'utf8').matchAll(/^```js\n([\s\S]*?)^```$/gm)];
  const said: string[] = [];
  for (const [, block] of blocks) {
    const { code, stdout, stderr } = await program(rig, block!);
    assert.equal([code, stderr], [0, ''], block);
    said.push(stdout);
  }
  assert.equal(said.slice(0, 2), ['done\n1 paid calls\n', 'It is mended.\n']);
  assert.is(said[2], 'text It is mended.\ntrue\n');
  assert.is(said[3], 'Which?\nIt is done.\n');
  assert.is(said[4], 'done\n');
  assert.match(said[5]!, /^transient rate_limit v1:\w+\n$/);
  assert.ok(existsSync(path.join(rig.project, 'answers/login/record.json')));
});

test('allowCommit lets codex write to the git folder, and nothing else does', async ({ rig }) => {
  for (const name of ['HEAD', 'objects/.keep', 'refs/.keep']) rig.write(`.git/${name}`, 'ref: refs/heads/main\n');
  rig.answer(() => answerWith('codex', 'done'));
  const calls = ['', ', allowCommit: true'].map(
    (more) => `tollgate.callTool('codex', 'Hi', { access: 'write'${more} })`,
  );
  assert.ok((await resultsOf<ToolAnswer[]>(rig, calls)).every(({ ok }) => ok));
  assert.equal(
    rig.calls.map(({ report }) => report.argv.join(' ').includes('.git')),
    [false, true],
  );
});

test('finished: rechecked runs the acceptance commands again, and pays for nothing', async ({ rig }) => {
  rig.write('a.txt', 'right');
  rig.answer(() => answerWith('codex', 'done'));
  makeTask(rig, {
    stages: [{ tool: 'codex', role: 'verify', ...ANY_ANSWER }],
    acceptance: { commands: ['grep -q right a.txt'] },
  });
  const runs = ['{}', '{}', `{ finished: 'rechecked' }`].map((options) => `tollgate.runTask('fix', ${options})`);
  runs.splice(1, 0, `import('node:fs').then((fs) => fs.writeFileSync('a.txt', 'wrong'))`);
  const [first, , again, rechecked] = await resultsOf<[TaskEnd, null, TaskEnd, TaskEnd]>(rig, runs);
  const reasons = [first, again, rechecked].map((end) =>
    end.how === 'ran' ? (end.report.failure?.reason ?? null) : end.message,
  );
  assert.equal([reasons, rig.calls.length], [[null, null, 'acceptance_failed'], 1]);
});

test('a task that fails is a value, and how it stands can be read', async ({ rig }) => {
  makeTask(rig, CODEX);
  rig.answer(() => failWith('codex', 'invalid api key', 401));
  const both = [`tollgate.runTask('fix')`, `tollgate.readTask('fix')`];
  const [end, read] = await resultsOf<[TaskEnd, TaskStanding]>(rig, both);
  if (end.how !== 'ran') throw new Error(JSON.stringify(end));
  if (read.how !== 'read') throw new Error(read.message);
  assert.equal([end.report.state, end.report.exit_code, end.report.failure!.class], ['failed', 1, 'auth']);
  assert.equal([read.state, read.failure!.signature, read.calls.used], ['failed', end.report.failure!.signature, 1]);
  assert.is(read.summary, end.summary);
});

test('what is not a task is a value, and so are options that no call takes', async ({ rig }) => {
  makeTask(rig, CODEX);
  const refusals: [given: string, message: RegExp][] = [
    [`'cursor', 'Hi'`, /there is no CLI "cursor"; the CLIs are gemini, copilot, codex, claude/],
    [`'codex', 'Hi', { maxUsd: 1 }`, /maxUsd needs the price of the model/],
    [`'codex', 'Hi', { account: 'none' }`, /none/],
    [`'codex', 'Hi', { schema: { type: 3 } }`, /schema is not a JSON Schema/],
    [`'codex', 'Hi', { model: '--yolo' }`, /model must be one line/],
    [`'codex', 'Hi', { stage: '../x' }`, /stage/],
    [`'codex', 'Hi', { task: 'none' }`, /task/],
    [`'codex', ' '`, /nothing to ask/],
    [`'codex', 'Hi', { keepIn: '.tmp/task/fix/state' }`, /which only tollgate itself writes/],
  ];
  const [end, read, ...answers] = await resultsOf<[TaskEnd, TaskStanding, ...ToolAnswer[]]>(rig, [
    ...[`tollgate.runTask('../elsewhere')`, `tollgate.readTask('none')`],
    ...refusals.map(([given]) => `tollgate.callTool(${given})`),
  ]);
  assert.equal([end.how, read.how], ['invalid', 'invalid']);
  for (const [at, [given, message]] of refusals.entries()) {
    assert.is(answers[at]!.ok, false, given);
    assert.match(answers[at]!.message!, message);
  }
  assert.is(rig.calls.length, 0);
});

test('an unknown option or value is refused by name, with the nearest known one, and nothing is called', async ({
  rig,
}) => {
  makeTask(rig, CODEX);
  const refusals: [expression: string, message: RegExp][] = [
    [`tollgate.runTask('fix', { trustWorkspce: true })`, /no option "trustWorkspce"; did you mean trustWorkspace\?/],
    [`tollgate.runTask('fix', { whenTaken: 'refuze' })`, /one of wait, refuse, force.*did you mean refuse\?/],
    [`tollgate.runTask('fix', { redo: 'codex_brief' })`, /redo must be a list of texts/],
    [`tollgate.runTask('fix', { waitForResetMs: '5m' })`, /waitForResetMs must be a number/],
    [`tollgate.runTask('fix', null)`, /must be an object, and are null/],
    [`tollgate.runTask(undefined)`, /the task must be a text/],
    [`tollgate.readTask('fix', { cwd: 3 })`, /cwd must be a text, and is 3/],
    [`tollgate.callTool('codex', 'Hi', { timeoutMS: 5 })`, /no option "timeoutMS"; did you mean timeoutMs\?/],
    [`tollgate.callTool('codex', 'Hi', { access: 'wirte' })`, /one of read, write, full.*did you mean write\?/],
    [`tollgate.callTool('codex', 'Hi', { timeoutMs: -1 })`, /timeoutMs must be a whole number of 1 or more, and is -1/],
    [`tollgate.callTool('codex', 'Hi', { trustWorkspace: 'no' })`, /trustWorkspace must be true or false/],
    [`tollgate.callTool('codex', 'Hi', { signal: {} })`, /signal must be an AbortSignal/],
    [`tollgate.callTool('codex', 3)`, /the prompt must be a text/],
  ];
  const thrown = `['codx', undefined].map((tool) => { try { return tollgate.triage({ tool, stder: '' }); } catch (error) { return error.name + ': ' + error.message; } })`;
  const expressions = refusals.map(([expression]) => expression);
  const [errors, ...said] = await resultsOf<[string[], ...{ message: string }[]]>(rig, [thrown, ...expressions]);
  for (const [at, [expression, message]] of refusals.entries()) assert.match(said[at]!.message, message, expression);
  assert.equal(errors, [
    'TypeError: triage: tool must be one of gemini, copilot, codex, claude, and is "codx"; did you mean codex?',
    'TypeError: triage has no option "stder"; did you mean stderr?',
  ]);
  assert.is(rig.calls.length, 0);
});

for (const [format, extension] of [
  ['esm', 'mjs'],
  ['cjs', 'cjs'],
] as const)
  for (const source of [`import { callTool } from 'tollgate';`, `const { callTool } = require('tollgate');`])
    test(`a program bundled by esbuild as ${format} works: ${source}`, async ({ rig }) => {
      rig.answer(() => answerWith('codex', 'Bundled.'));
      const entry = rig.write(
        source.startsWith('import') ? 'program.mts' : 'program.cts',
        `${source}\nvoid callTool('codex', 'Hi').then(({ answer, message }) => console.log(answer || message));\n`,
      );
      const outfile = path.join(rig.project, `out/bundle.${extension}`);
      const settings = { bundle: true, platform: 'node', format, outfile, logLevel: 'error' } as const;
      const isRequired = format === 'esm' && !source.startsWith('import');
      // esbuild's own shim of `require` in ESM needs one.
      const banner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;
      await build({ ...settings, entryPoints: [entry], ...(isRequired ? { banner: { js: banner } } : {}) });
      const child = spawn(process.execPath, [outfile], { cwd: rig.project, env: rig.env, timeout: 30_000 });
      let said = '';
      child.stdout.on('data', (chunk) => (said += chunk));
      child.stderr.on('data', (chunk) => (said += chunk));
      await new Promise((resolve) => child.on('close', resolve));
      assert.is(said, 'Bundled.\n');
    });

test('a signal ends what runs, and the promise resolves', async ({ rig }) => {
  makeTask(rig, CODEX);
  const before = `const gone = new AbortController();\nprocess.stdin.once('end', () => gone.abort()).resume();`;
  const source = `import * as tollgate from 'tollgate';\n${before}\nconst end = await tollgate.runTask('fix', { signal: gone.signal });\nconsole.log(JSON.stringify(end));\n`;
  const child = spawn(process.execPath, [rig.write('program.mjs', source)], {
    cwd: rig.project,
    env: rig.env,
    timeout: 30_000,
  });
  let out = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  const closed = new Promise((resolve) => child.on('close', resolve));
  const call = await Promise.race([
    rig.call(),
    closed.then(() => Promise.reject(new Error(`it ended uncalled: ${out}`))),
  ]);
  child.stdin.end();
  await Promise.all([closed, call.gone]);
  const end = JSON.parse(out) as TaskEnd & { how: 'ran' };
  assert.equal([end.how, end.report.state, end.report.exit_code], ['ran', 'interrupted', 143]);
  assert.equal(rig.survivors(), []);
});

/** What ends a program in the middle of its call. */
const ENDS = ['process.exit(0)', "process.kill(process.pid, 'SIGKILL')", "process.kill(process.pid, 'SIGINT')"];
for (const ends of ENDS)
  for (const task of ['', ", task: 'fix'"])
    test(`a program that ends in the middle of its call leaves no CLI: ${ends}${task}`, async ({ rig }) => {
      makeTask(rig, CODEX);
      const source = `import { callTool } from 'tollgate';\nprocess.stdin.once('end', () => ${ends}).resume();\nawait callTool('codex', 'Hi', { keepIn: 'kept'${task} });\n`;
      const child = spawn(process.execPath, [rig.write('program.mjs', source)], { cwd: rig.project, env: rig.env });
      const gone = new Promise((resolve) => child.on('close', resolve));
      const call = await rig.call();
      child.stdin.end();
      await Promise.all([gone, call.gone]);
      // Nobody here waits for the process that writes it.
      const record = path.join(rig.project, 'kept/record.json');
      await waitWhile(() => !existsSync(record));
      assert.match(readFileSync(record, 'utf8'), '"reason": "cancelled"');
      assert.is(rig.calls.length, 1);
    });

test('one process watches over all calls of a program, and settles each of them', async ({ rig }) => {
  const source = `import { callTool } from 'tollgate';
process.stdin.once('end', () => process.kill(process.pid, 'SIGKILL')).resume();
for (const keepIn of ['one', 'two', 'three']) void callTool('codex', 'Hi', { keepIn });
`;
  const child = spawn(process.execPath, [rig.write('program.mjs', source)], { cwd: rig.project, env: rig.env });
  const gone = new Promise((resolve) => child.on('close', resolve));
  const calls = [await rig.call(), await rig.call(), await rig.call()];
  const processes = execFileSync('ps', ['-A', '-ww', '-o', 'ppid=,args='], { encoding: 'utf8' }).split('\n');
  const watchers = processes.filter((row) => row.trim().startsWith(`${child.pid} `) && row.includes('.inProcess('));
  assert.is(watchers.length, 1);
  child.stdin.end();
  await Promise.all([gone, ...calls.map((call) => call.gone)]);
  for (const name of ['one', 'two', 'three']) {
    const record = path.join(rig.project, name, 'record.json');
    await waitWhile(() => !existsSync(record));
    assert.match(readFileSync(record, 'utf8'), '"reason": "cancelled"');
  }
});

test('a process that cannot be started is no exception', async ({ rig }) => {
  const [end] = await resultsOf<[ToolAnswer]>(rig, [
    `tollgate.callTool('codex', 'Hi', { environment: { ...process.env, LONG: 'x'.repeat(200_000) } })`,
  ]);
  assert.is(end.ok, false);
  assert.match(end.message!, 'E2BIG');
});

test('a call is iterated for its events, and its secrets are in none of them', async ({ rig }) => {
  rig.env.MY_API_KEY = 'sk-a-secret-of-mine-000000';
  const { opens, runsTool, says, succeeds } = STREAMS.claude;
  const text = `One line.\nThe key is ${rig.env.MY_API_KEY}.`;
  const lines = [...opens(SESSION), ...runsTool('ok'), ...says(text), ...succeeds(SESSION)];
  rig.answer(() => [write(lines), { do: 'exit', code: 0 }]);
  const source = `import { callTool } from 'tollgate';
const call = callTool('claude', 'Hi', { access: 'full' });
const events = [];
for await (const { type, text } of call) events.push([type, text]);
const { ok } = await call;
console.log(JSON.stringify({ ok, events }));
`;
  const { code, stdout, stderr } = await program(rig, source);
  assert.equal([code, stderr], [0, '']);
  assert.not.match(stdout, rig.env.MY_API_KEY);
  const { ok, events } = JSON.parse(stdout) as { ok: boolean; events: [string, string][] };
  assert.ok(ok);
  assert.equal(
    events.filter(([type]) => type === 'tool'),
    [['tool', 'Bash']],
  );
  const said = events.filter(([type]) => type === 'text').map(([, line]) => line);
  assert.is(said[0], 'One line.');
  assert.match(said[1]!, /^The key is /);
});

test('a call can have a schema, a cap, and a CLI of the project', async ({ rig }) => {
  rig.answer(() => answerWith('codex', '{"n": 1}'));
  const schema = `{ type: 'object', required: ['n'] }`;
  chmodSync(rig.write('mine.sh', '#!/bin/sh\necho Mine.\n'), 0o755);
  rig.write('tollgate.yaml', 'tools:\n  mine:\n    binary: ./mine.sh\n');
  const [fits, misfit, untrusted, own] = await resultsOf<[ToolAnswer, ToolAnswer, ToolAnswer, ToolAnswer]>(rig, [
    `tollgate.callTool('codex', 'Hi', { schema: ${schema} })`,
    `tollgate.callTool('codex', 'Hi', { schema: { required: ['m'] } })`,
    `tollgate.callTool('mine', 'Hi')`,
    `tollgate.callTool('mine', 'Hi', { trustWorkspace: true })`,
  ]);
  assert.equal([fits.ok, JSON.parse(fits.answer)], [true, { n: 1 }]);
  assert.equal([misfit.ok, misfit.reason], [false, 'schema_mismatch']);
  assert.match(untrusted.message!, 'pass `trustWorkspace: true`');
  assert.equal([own.ok, own.answer.trim()], [true, 'Mine.']);
});

test('a call says what its answer lacks and what to do, by options; what the CLI says of its own flags stays', async ({
  rig,
}) => {
  const { opens, says, succeeds } = STREAMS.claude;
  const denied = { type: 'system', subtype: 'permission_denied', tool_name: 'Bash', tool_use_id: 't1' };
  const message = 'something unheard of --model';
  rig.write('../home/.claude.json', '{}');
  rig.answer(() =>
    rig.calls.length === 1
      ? [
          write([...opens(SESSION), JSON.stringify(denied), ...says('Hm.'), ...succeeds(SESSION)]),
          { do: 'exit', code: 0 },
        ]
      : [{ do: 'write', to: 'stderr', text: `${message}\n` } as const, { do: 'exit', code: 3 }],
  );
  const [lacking, failed, untrusted, misplaced] = await resultsOf<ToolAnswer[]>(rig, [
    `tollgate.callTool('claude', 'Hi', { trustWorkspace: true })`,
    `tollgate.callTool('claude', 'Hi', { trustWorkspace: true })`,
    `tollgate.callTool('claude', 'Hi')`,
    `tollgate.callTool('claude', 'Hi', { cwd: 'none' })`,
  ]);
  assert.equal([lacking!.ok, lacking!.next_actions], [true, []]);
  assert.equal(lacking!.warnings, ['the tool Bash was denied; to allow it: allowTool Bash']);
  assert.match(failed!.message!, message);
  assert.match(failed!.next_actions[0]!.text, 'read `stderr.log` (kept by `keepIn`)');
  assert.not.match(JSON.stringify(failed), '/tollgate-call-');
  assert.match(untrusted!.message!, 'if you trust it, add trustWorkspace, or run `tollgate trust`');
  assert.ok(untrusted!.next_actions.length > 0);
  assert.match(misplaced!.message!, /\bcwd: /);
});

test('what a task lacks to be run is named by options too', async ({ rig }) => {
  rig.write('tollgate.yaml', 'pipelines:\n  mine:\n    - {tool: codex, role: worker}\n');
  makeTask(rig, { pipeline: 'mine', stages: undefined });
  makeTask(rig, CODEX, 'changed');
  rig.answer(() => answerWith('codex', 'done'));
  const change = `import('node:fs').then((fs) => fs.appendFileSync('.tmp/task/changed/inputs/user_request.md', 'More.'))`;
  const [untrusted, , , changed] = await resultsOf<[TaskEnd, TaskEnd, null, TaskEnd]>(rig, [
    `tollgate.runTask('fix')`,
    `tollgate.runTask('changed')`,
    change,
    `tollgate.runTask('changed')`,
  ]);
  assert.is(untrusted.how, 'invalid');
  assert.match((untrusted as { message: string }).message, /; use trustWorkspace, or trust it for good/);
  assert.is(changed.how, 'refused');
  assert.match(
    (changed as { message: string }).message,
    /; use redo codex_brief to pay for it again, or keep codex_brief /,
  );
});

test('each flag of a wrapper is an option, unless it is about files, the shell, or how a name finds a session', async ({
  rig,
}) => {
  const files = ['prompt-file', 'out', 'err', 'no-files', 'session-id-out', 'done-marker', 'pid-file', 'result'];
  const others = ['timeout-mode', 'session', 'last', 'exit-by-class'];
  const known = new Set([...Object.keys(CALL_OPTIONS).map(flagOf), ...files, ...others]);
  const flags = TOOLS.flatMap((tool) => Object.keys(wrapperSpec(ADAPTERS[tool]).flags));
  assert.equal(
    flags.filter((flag) => !known.has(flag)),
    [],
  );

  const servers = [{ name: 'db', status: 'connected' }];
  const init = { type: 'system', subtype: 'init', session_id: SESSION, model: 'm', mcp_servers: servers };
  rig.answer(() => [write([JSON.stringify(init)]), ...answerWith('claude', 'done')]);
  const refusals: [given: string, message: RegExp][] = [
    [`'gemini', 'Hi', { effort: 'low' }`, /^effort: gemini has no such option$/],
    [`'codex', 'Hi', { effort: 'max' }`, /^effort must be one of low, medium, high, xhigh$/],
    [`'claude', 'Hi', { allowTool: [''] }`, /^allowTool must name tools/],
    [`'claude', 'Hi', { requireMcp: ['--x'] }`, /^requireMcp must be names/],
    [`'claude', 'Hi', { newTask: true }`, /^newTask needs task$/],
  ];
  const options = `trustWorkspace: true, allowTool: ['Bash(ls)', 'Read'], denyTool: ['Write'], effort: 'max', innerRetries: 'allow'`;
  const [made, unmet, ...refused] = await resultsOf<ToolAnswer[]>(rig, [
    `tollgate.callTool('claude', 'Hi', { ${options}, startTimeoutMs: 0, task: 'small', newTask: true })`,
    `tollgate.callTool('claude', 'Hi', { trustWorkspace: true, requireMcp: ['tickets'] })`,
    ...refusals.map(([given]) => `tollgate.callTool(${given})`),
  ]);
  assert.ok(made!.ok, made!.message!);
  const argv = rig.calls[0]!.report.argv.join(' ');
  for (const part of ['--allowedTools=Bash(ls) --allowedTools=Read', '--disallowedTools=Write', '--effort max'])
    assert.ok(argv.includes(part), argv);
  assert.equal([unmet!.reason, rig.calls.length], ['mcp_server', 2]);
  for (const [at, [given, message]] of refusals.entries()) assert.match(refused[at]!.message!, message, given);
});

test('its types stand by themselves, for who checks them strictly', ({ rig }) => {
  const file = rig.write(
    'consumer.mts',
    `import { answer as answerTask, callTool, type ErrorClass, type FailureReason, readTask, runTask, signature, supervise, triage, type TaskEnd } from 'tollgate';
const end: TaskEnd = await runTask('fix', { signal: new AbortController().signal, redo: ['codex_impl'] });
if (end.how === 'ran' && end.report.failure) { const lines: string[] = end.report.failure.next_actions.map(({ text }) => text); void lines; }
const failed: ErrorClass = 'quota';
const why: FailureReason = 'rate_limit';
// @ts-expect-error: no class of ours
const none: ErrorClass = 'qouta';
// @ts-expect-error: no reason of ours
const unheard: FailureReason = 'rate_limitt';
void [failed, why, none, unheard];
const { ok, answer, warnings, next_actions } = await callTool('codex', 'Hi', { requireMcp: ['all'], allowTool: ['x'] });
const lacks: readonly string[] = end.how === 'ran' ? end.report.stages.flatMap((stage) => stage.lacks) : warnings;
void [lacks, next_actions];
const standing = await readTask('fix');
const alike: boolean = signature({ tool: 'codex', stderr: answer }) === triage({ tool: 'codex' }).signature;
// @ts-expect-error: a schema is an object
void callTool('codex', 'Hi', { schema: 'text' });
const supervised = await answerTask('fix', 'Yes.', { later: true, begin: 'resume' });
if (supervised.how === 'ran') { const asked: string | null | undefined = supervised.report.supervision?.question; void asked; }
// @ts-expect-error: supervise has no stages to redo
void supervise('fix', { redo: ['codex_impl'] });
for await (const { type, text } of callTool('codex', 'Hi')) { const kind: 'text' | 'tool' | 'note' = type; void [kind, text]; }
export { ok, standing, alike };
`,
  );
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', ''];
  const { status, stdout } = spawnSync(
    process.execPath,
    [path.resolve('node_modules/typescript/bin/tsc'), ...flags, file],
    {
      cwd: rig.project,
      encoding: 'utf8',
    },
  );
  assert.equal([stdout, status], ['', 0]);
});

test('the published unions have every class and every reason', () => {
  const types = readFileSync('dist/library.d.mts', 'utf8');
  for (const word of [...Object.keys(CLASSES), ...FAILURE_REASONS]) assert.ok(types.includes(`  | '${word}'`), word);
});

test('its surface does not change without a word in the changelog', () => {
  const [library, ...surface] = ['library/library.ts', 'library/surface.ts', 'library/call-surface.ts'].map((file) =>
    readFileSync(file, 'utf8'),
  );
  const exported = [...surface, ...library!.matchAll(/^export const \w+: \w+ =/gm)].join('\n');
  const mark = createHash('sha256').update(exported).digest('hex').slice(0, 12);
  const told = readFileSync('CHANGELOG.md', 'utf8').includes(`surface \`${mark}\``);
  assert.ok(told, `CHANGELOG.md must tell what became of the library, with: surface \`${mark}\``);
});

test.run();
