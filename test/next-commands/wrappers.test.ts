// The first command in the record of a call that its caller made, executed as it is printed, once what was wrong is fixed.

import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NextAction } from '../../policies/facts/next-action.ts';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import type { FakeCommand } from '../rig/fake-call.ts';
import { commandOf, makeNpxProject, type NpxProject } from '../rig/npx-project.ts';
import { validatorOf } from '../rig/schemas/validator.ts';
import { makeSession, SESSION_IDS } from '../rig/session-files.ts';
import { answerWith, failWith, SESSION, STREAMS, write } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ world: NpxProject }>('next commands of wrappers');
test.before.each(async (context) => {
  context.world = makeNpxProject(await TestRig.open());
  context.world.write('my ask.md', 'Say hello.');
});
test.after.each(({ world }) => world.rig.dispose());

const wrapper = (tool: BuiltIn, flags: string) =>
  `npx ${ADAPTERS[tool].command} --prompt-file 'my ask.md' --out a.out --err a.err --result a.json ${flags}`;

const recordIn = ({ project }: NpxProject) =>
  JSON.parse(readFileSync(path.join(project, 'a.json'), 'utf8')) as CallRecord;

const fails = (message: string, status: number) => failWith('codex', message, status) as FakeCommand[];

const claude = (text: string, ...events: object[]): FakeCommand[] => [
  write(events.map((event) => JSON.stringify(event))),
  ...(answerWith('claude', text) as FakeCommand[]),
];
const init = (status: string) => ({
  ...{ type: 'system', subtype: 'init', session_id: SESSION, model: 'm' },
  mcp_servers: [{ name: 'tickets', status }],
});
const denial = { tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: 'git push' } };
const deniedEnd = (): FakeCommand[] => {
  const ends = STREAMS.claude.succeeds(SESSION).map((line) => {
    const event = JSON.parse(line);
    return JSON.stringify(event.type === 'result' ? { ...event, permission_denials: [denial] } : event);
  });
  return [
    write([...STREAMS.claude.opens(SESSION), ...STREAMS.claude.says('I could not.'), ...ends]),
    { do: 'exit', code: 0 },
  ];
};

interface Scene {
  tool?: BuiltIn;
  flags?: string;
  calls?: FakeCommand[];
  before?(world: NpxProject): void;
  verdict: [errorClass: string, reason: string];
  /** What a person does first, as the text of the action says. */
  mend?(world: NpxProject): void;
  says?: FakeCommand[];
  command: RegExp;
  /** What the command does; without it, the call is made again, and succeeds. */
  does?(world: NpxProject, told: { code: number | null; stdout: string; stderr: string }): void;
}

const AGAIN = /^npx run_codex --prompt-file 'my ask\.md' --out a\.out --err a\.err --result a\.json$/;

const SCENES: Record<string, Scene> = {
  'a quota that is used up': {
    calls: fails('Quota exceeded. Check your plan and billing details.', 429),
    verdict: ['quota', 'plan'],
    command: AGAIN,
  },
  'a key that is refused': {
    calls: fails('unexpected status 401 Unauthorized: Incorrect API key provided', 401),
    verdict: ['auth', 'bad_key'],
    command: /^npx tollgate preflight --tools codex$/,
    does: (_, { stdout }) => assert.match(stdout, /^ok +codex version/m),
  },
  'a CLI that is not there': {
    before: ({ rig }) => renameSync(path.join(rig.bin, 'codex'), path.join(rig.bin, 'codex.kept')),
    verdict: ['tooling', 'binary_missing'],
    command: /^npm install -g @openai\/codex$/,
    // In place of npm, so that nothing is installed for the whole machine.
    mend({ rig }) {
      const npm = path.join(rig.bin, 'npm');
      writeFileSync(
        npm,
        `#!/bin/sh\n[ "$*" = 'install -g @openai/codex' ] && mv '${rig.bin}/codex.kept' '${rig.bin}/codex'\n`,
      );
      chmodSync(npm, 0o755);
    },
    does: ({ rig }, { code }) => assert.equal([code, existsSync(path.join(rig.bin, 'codex'))], [0, true]),
  },
  'a tool that was denied': {
    tool: 'claude',
    flags: '--trust-workspace --fail-on-denied',
    calls: deniedEnd(),
    verdict: ['contract_violation', 'tool_denied'],
    command: /^npx claude_headless .* --trust-workspace --fail-on-denied$/,
    mend: ({ write }) => write('my ask.md', 'Say hello, and push nothing.'),
  },
  'an MCP server that is missing': {
    tool: 'claude',
    flags: '--trust-workspace --require-mcp tickets',
    calls: claude('fine', init('failed')),
    verdict: ['tooling', 'mcp_server'],
    command: /^npx claude_headless .* --require-mcp tickets$/,
    says: claude('fine', init('connected')),
  },
  'a folder that is not trusted': {
    tool: 'claude',
    before: ({ rig }) => writeFileSync(path.join(rig.home, '.claude.json'), '{}'),
    verdict: ['tooling', 'untrusted'],
    command: /^npx claude_headless --trust-workspace --prompt-file /,
  },
  'a time limit': {
    flags: '--timeout-ms 3000',
    calls: [{ do: 'hang' }],
    verdict: ['transient', 'timeout'],
    command: /^npx run_codex .* --timeout-ms 3000$/,
  },
  'an empty prompt': {
    before: ({ write }) => write('my ask.md', ' \n'),
    verdict: ['tooling', 'empty_prompt'],
    command: AGAIN,
    mend: ({ write }) => write('my ask.md', 'Say hello.'),
  },
  'a conversation that its service refuses': {
    flags: `--resume-session ${SESSION_IDS.codex}`,
    before: ({ rig, project }) =>
      void makeSession('codex', { home: rig.home, project } as TestRig, [
        { prompt: 'one', answer: 'ONE' },
        { prompt: 'two', answer: 'TWO' },
      ]),
    calls: failWith('codex', 'No tool output found for function call call_1.', 400, SESSION_IDS.codex) as FakeCommand[],
    verdict: ['tooling', 'broken_history'],
    command: /^npx tollgate recover \S+ --choose clear$/,
    does: (_, { code, stdout }) => assert.equal([code, /taken back/.test(stdout)], [0, true]),
  },
};

for (const [name, scene] of Object.entries(SCENES))
  test(name, async ({ world }) => {
    const { rig, sh } = world;
    const { tool = 'codex', flags = '', calls = [] } = scene;
    scene.before?.(world);
    rig.answer(() => calls);
    const failed = await sh(wrapper(tool, flags).trimEnd());
    const record = recordIn(world);
    const { class: errorClass, reason } = record.verdict;
    assert.equal([errorClass, reason], scene.verdict, failed.stderr);
    assert.ok(validatorOf('CALL_SCHEMA')(record));
    assert.not.match(JSON.stringify(record.next_actions), /of the stage|manifest|give the stage/);
    const action = commandOf(record.next_actions!);
    assert.match(action.command, scene.command);
    const before = rig.calls.length;
    rig.answer(() => scene.says ?? (answerWith(tool, 'fine') as FakeCommand[]));
    scene.mend?.(world);
    const told = await sh(action.command);
    if (scene.does !== undefined) scene.does(world, told);
    else assert.equal([told.code, recordIn(world).next_actions], [0, undefined], told.stderr);
    assert.is(rig.calls.length > before, action.pays, action.command);
  });

test('a call that was interrupted', async ({ world }) => {
  const { rig, shReal, project } = world;
  const given = ['--prompt-file', 'my ask.md', '--out', 'a.out', '--err', 'a.err', '--result', 'a.json'];
  const running = rig.start('run_codex', given, { cwd: project, env: { npm_command: 'exec' } });
  assert.ok(await rig.callBefore(running.result), running.stderr);
  running.signal('SIGINT');
  await running.result;
  const { verdict, next_actions } = recordIn(world);
  assert.is(verdict.reason, 'cancelled');
  const { command } = commandOf(next_actions!);
  assert.match(command, AGAIN);
  rig.answer(() => answerWith('codex', 'fine'));
  assert.is((await shReal(command)).code, 0);
});

test('the budget of a task that is used up', async ({ world }) => {
  const { rig, sh } = world;
  const task = world.task({ stages: [], budgets: { paid_call_budget: 1 } });
  rig.answer(() => answerWith('codex', 'fine'));
  const line = wrapper('codex', `--task '${task.word}'`);
  assert.is((await sh(line)).code, 0);
  await sh(line);
  const { verdict, next_actions } = recordIn(world);
  assert.is(verdict.reason, 'budget');
  const [ask, raise, again] = next_actions as [NextAction, NextAction, NextAction];
  assert.equal(
    [ask.command, raise.command, raise.changes],
    [undefined, `npx tollgate budget '${task.word}' --set 6`, 'budget'],
  );
  assert.is((await sh(raise.command!)).code, 0);
  assert.is((await sh(again.command!)).code, 0);
});

test('a prompt that was piped can be typed by nobody, so no command is named', async ({ world }) => {
  const { rig, sh } = world;
  rig.answer(() => fails('unexpected status 500 Internal Server Error: boom', 500));
  await sh(`echo hello | ${wrapper('codex', '').replace("'my ask.md'", '/dev/stdin')}`);
  const { next_actions } = recordIn(world);
  assert.ok(next_actions!.length > 0);
  assert.ok(next_actions!.every(({ command }) => command === undefined));
});

test('the record of a stage has none: its run says what to do', async ({ world }) => {
  const { rig, sh } = world;
  rig.answer(() => fails('unexpected status 401 Unauthorized: no', 401));
  const task = world.task({ stages: [{ tool: 'codex', role: 'review' }] });
  await sh(`npx tollgate run '${task.word}'`);
  const record = JSON.parse(readFileSync(path.join(task.folder, 'outputs/codex_review.codex.call.json'), 'utf8'));
  assert.equal([record.verdict.class, record.next_actions], ['auth', undefined]);
  rmSync(task.folder, { recursive: true });
});

test.run();
