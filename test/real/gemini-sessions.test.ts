// What gemini sends next after its session file was mended or rewound: seen in the requests that reach the loopback model API.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GEMINI_SESSIONS } from '../../wrappers/gemini/sessions/store.ts';
import type { Conversation, Edit } from '../../wrappers/sessions/store.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { CLIS, RealHome } from './real-home.ts';

const VERSION = '0.61.0';

const test = suite<{ api: ModelApi }>('gemini sessions');
test.before.each(async (context) => {
  context.api = await startModelApi();
});
test.after.each(({ api }) => api.close());

test('a tool session that is mended before each resume has one response for each call', async ({ api }) => {
  await inSession(api, async ({ ask, sent, conversation, apply, age }) => {
    await ask('tool', 'list the files');
    for (const resume of [1, 2, 3]) {
      const flaws = conversation().flaws(VERSION)!;
      if (resume === 1) assert.is(flaws.length, 1);
      apply(conversation().repair(flaws));
      assert.equal(conversation().flaws(VERSION), []);
      await age();
      await ask(resume === 2 ? 'tool' : 'ok', `question ${resume}`);
      assert.is(sent().responses.length, sent().calls.length, `resume ${resume}`);
      assert.equal([...sent().responses].sort(), [...sent().calls].sort());
    }
    assert.is(sent().calls.length, 2);
    assert.equal(sent().prompts, ['list the files', 'question 1', 'question 2', 'question 3']);
  });
});

test('a bare resume sends two responses for one call, and the reader says so before', async ({ api }) => {
  await inSession(api, async ({ ask, sent, conversation }) => {
    await ask('tool', 'list the files');
    const [flaw, ...others] = conversation().flaws(VERSION)!;
    await ask('ok', 'go on');
    assert.equal([sent().calls.length, sent().responses.length], [1, 2]);
    assert.equal(flaw, {
      how: 'doubled_response',
      turn: 1,
      id: 'id' in flaw! ? flaw.id : '',
      name: 'run_shell_command',
    });
    assert.equal(others, []);
  });
});

test('a call that nothing answered gets a response, half a line before it or not', async ({ api }) => {
  await inSession(api, async ({ ask, sent, conversation, apply, file }) => {
    await ask('tool', 'list the files');
    const lines = readFileSync(file(), 'utf8').split('\n');
    const called = lines.findIndex((line) => line.includes('"toolCalls"'));
    const hanging = JSON.parse(lines[called]!);
    for (const call of hanging.toolCalls) delete call.result;
    writeFileSync(file(), `${[...lines.slice(0, called), JSON.stringify(hanging)].join('\n')}\n{"id":"half a l`);
    assert.equal(
      conversation()
        .flaws(VERSION)!
        .map(({ how }) => how),
      ['unanswered_call'],
    );
    apply(conversation().repair(conversation().flaws(VERSION)!));
    await ask('ok', 'go on');
    assert.equal([sent().calls.length, sent().responses.length], [1, 1]);
    assert.match(sent().body, 'no result is known');
  });
});

test('rewound before or after a prompt, the next request ends as it should', async ({ api }) => {
  await inSession(api, async ({ ask, sent, conversation, apply }) => {
    await ask('ok', 'first question');
    await ask('tool', 'second question');
    apply(conversation().afterPrompt(2));
    await ask('ok', 'third question');
    assert.equal(sent().calls, []);
    assert.equal(sent().prompts, ['first question', 'second question', 'third question']);
    assert.equal(sent().roles, ['user', 'model', 'user'], 'no answer stands between the second and the third');

    apply(conversation().before(2));
    await ask('ok', 'another second question');
    assert.equal(sent().prompts, ['first question', 'another second question']);
    assert.equal(sent().roles, ['user', 'model', 'user']);
  });
});

test.run();

interface Session {
  ask(scenario: string, prompt: string): Promise<void>;
  /** The last request to the model. */
  sent(): { calls: string[]; responses: string[]; prompts: string[]; roles: string[]; body: string };
  conversation(): Conversation;
  apply(edit: Edit): void;
  file(): string;
  /** A resume within the minute in which the session began goes on in the same file; one that comes later begins another. */
  age(): Promise<void>;
}

async function inSession(api: ModelApi, check: (session: Session) => Promise<void>): Promise<void> {
  // What the bare CLI sends is looked at, were it such as no service takes.
  const home = new RealHome('gemini', api.url('lax=ok'));
  const id = randomUUID();
  let begun = false;
  let conversation: Conversation;
  const look = async () => {
    const session = await GEMINI_SESSIONS.find(id, { environment: home.env, cwd: home.project });
    assert.ok(session, 'the session is found');
    assert.is(session!.cwd, home.project);
    conversation = GEMINI_SESSIONS.open(session!);
  };
  try {
    await check({
      ask: async (scenario, prompt) => {
        if (scenario !== 'ok') api.script([`lax=${scenario}`, `lax=${scenario}`]);
        await gemini(home, ['--prompt', prompt, begun ? '--resume' : '--session-id', id]);
        begun = true;
        await look();
      },
      sent: () => readRequest(api.paid().at(-1)!.body),
      conversation: () => GEMINI_SESSIONS.open(conversation.session),
      apply: (edit) => applyTo(conversation.session.file, edit),
      file: () => conversation.session.file,
      age: async () => {
        const { file } = conversation.session;
        renameSync(file, file.replace(/T\d\d-\d\d-/, 'T00-00-'));
        await look();
      },
    });
    assert.equal(home.survivors(), []);
  } finally {
    await home.dispose();
  }
}

async function gemini(home: RealHome, argv: string[]): Promise<void> {
  const script = path.join(CLIS, '@google/gemini-cli/bundle/gemini.js');
  const flags = ['--model', 'gemini-2.5-flash', '--output-format', 'json', '--approval-mode', 'yolo', '--skip-trust'];
  const env = { ...home.env, GEMINI_CLI_NO_RELAUNCH: 'true' };
  const child = spawn(process.execPath, [script, ...flags, ...argv], { cwd: home.project, env, timeout: 90_000 });
  child.stdin.end();
  let stderr = '';
  child.stdout.resume();
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.is(code, 0, stderr);
}

interface Content {
  role: string;
  parts: { text?: string; functionCall?: { id: string }; functionResponse?: { id: string } }[];
}

function readRequest(body: string): ReturnType<Session['sent']> {
  const { contents } = JSON.parse(body) as { contents: Content[] };
  const parts = contents.flatMap(({ role, parts }) => parts.map((part) => ({ role, ...part })));
  return {
    calls: parts.flatMap(({ functionCall }) => functionCall?.id ?? []),
    responses: parts.flatMap(({ functionResponse }) => functionResponse?.id ?? []),
    prompts: parts.flatMap(({ role, text }) =>
      role === 'user' && text !== undefined && !text.startsWith('<session_context>') ? [text] : [],
    ),
    roles: contents.map(({ role }) => role),
    body,
  };
}

function applyTo(file: string, edit: Edit): void {
  if (edit.how === 'append') appendFileSync(file, edit.text);
  else if (edit.how === 'cut') truncateSync(file, edit.atByte);
  else if (edit.how === 'replace') writeFileSync(file, edit.text);
  else if (edit.how === 'impossible') throw new Error(edit.why);
}
