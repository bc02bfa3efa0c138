// What codex, copilot and claude really send after their session files were changed: the proof is the next request.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CLAUDE_SESSIONS } from '../../wrappers/claude/sessions/store.ts';
import { CODEX_SESSIONS } from '../../wrappers/codex/sessions/store.ts';
import { COPILOT_SESSIONS } from '../../wrappers/copilot/sessions/store.ts';
import type { Conversation, Edit, SessionFile, SessionStore } from '../../wrappers/sessions/store.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { apply } from '../sessions/session-home.ts';
import { CLIS, RealHome } from './real-home.ts';

const test = suite('changed sessions');

interface Row {
  tool: 'codex' | 'copilot' | 'claude';
  version: string;
  store: SessionStore;
  argv: (id: string | null) => string[];
  /** Of a request. */
  messages: (body: string) => Message[];
  /** Begins the line of a response in the session file. */
  response: string;
}

/** As the dialects of both CLIs have it. */
interface Message {
  role?: string;
  type?: string;
  content?: string | { text?: string }[] | null;
  tool_calls?: unknown[];
}

/** A request of claude's has several parts in a message, and its own reminders among them. */
interface ClaudeMessage {
  role: string;
  content: string | { type: string; text?: string }[];
}

const ROWS: readonly Row[] = [
  {
    tool: 'codex',
    version: '0.171.0',
    store: CODEX_SESSIONS,
    argv: (id) => [
      ...['exec', ...(id === null ? [] : ['resume']), '--json', '--skip-git-repo-check'],
      ...['-c', 'sandbox_mode="danger-full-access"', '-c', 'approval_policy="never"'],
      ...(id === null ? [] : [id]),
      '-',
    ],
    messages: (body) => JSON.parse(body).input,
    response: '"type":"function_call_output"',
  },
  {
    tool: 'copilot',
    version: '1.0.102',
    store: COPILOT_SESSIONS,
    argv: (id) => [
      ...['--output-format', 'json', '--no-ask-user', '--no-auto-update', '--no-color', '--allow-all-tools'],
      id === null ? `--session-id=${randomUUID()}` : `--resume=${id}`,
    ],
    messages: (body) => JSON.parse(body).messages,
    response: '{"type":"tool.execution_complete"',
  },
  {
    tool: 'claude',
    version: '2.1.332',
    store: CLAUDE_SESSIONS,
    argv: (id) => [
      ...['-p', '--output-format', 'stream-json', '--verbose', '--allowedTools=Bash'],
      ...['--settings', '{"env":{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC":"1"}}'],
      ...(id === null ? [] : [`--resume=${id}`]),
    ],
    messages: (body) => (JSON.parse(body).messages as ClaudeMessage[]).flatMap(partsOf),
    response: '"sourceToolAssistantUUID"',
  },
];

/** What claude says itself, in the model's place, to a prompt without an answer is left out. */
function partsOf({ role, content }: ClaudeMessage): Message[] {
  if (typeof content === 'string') return [{ role, content }];
  return content
    .filter(({ text }) => text !== 'No response requested.' && text?.startsWith('<system-reminder>') !== true)
    .map(({ type, text }): Message => {
      if (type === 'tool_use') return { role, tool_calls: [type] };
      return type === 'tool_result' ? { type } : { role, content: text ?? '' };
    });
}

const TWO_TURNS = ['ONE', 'call', 'response', 'says DONE', 'TWO', 'call', 'response', 'says DONE'];

const EDITS: readonly [string, (conversation: Conversation) => Edit, string[]][] = [
  ['before(2)', (c) => c.before(2), TWO_TURNS.slice(0, 4)],
  ['before(1)', (c) => c.before(1), []],
  ['afterPrompt(2)', (c) => c.afterPrompt(2), TWO_TURNS.slice(0, 5)],
  ['afterPrompt(1)', (c) => c.afterPrompt(1), TWO_TURNS.slice(0, 1)],
  ['withoutLastStep()', (c) => c.withoutLastStep(), TWO_TURNS.slice(0, 7)],
];

for (const row of ROWS) {
  test(`${row.tool} goes on from what stays`, async () => {
    const session = await sessionOf(row);
    const untouched = await session.ask('NEXT');
    assert.equal(sketch(untouched), [...TWO_TURNS, 'NEXT']);
    for (const [name, edit, expected] of EDITS) {
      session.restore();
      apply(session.found.file, edit(row.store.open(session.found)));
      assert.equal(sketch(await session.ask('NEXT')), [...expected, 'NEXT'], name);
    }
    session.restore();
    assert.equal((await session.ask('NEXT')).slice(0, -1), untouched.slice(0, -1), 'the old bytes bring it all back');
  });

  test(`${row.tool} sends as many responses as calls, whatever the file says`, async () => {
    const session = await sessionOf(row);
    const { file } = session.found;
    session.restore();
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    const at = lines.findIndex((line) => line.includes(row.response));
    const versions = {
      hanging: lines.slice(0, at),
      'hanging in the middle': lines.filter((_line, place) => place !== at),
      doubled: [...lines.slice(0, at + 1), ...lines.slice(at)],
    };
    for (const [name, version] of Object.entries(versions)) {
      writeFileSync(file, version.map((line) => `${line}\n`).join(''));
      const conversation = row.store.open(session.found);
      apply(file, conversation.repair(conversation.flaws(row.version)!));
      const expected = name === 'hanging' ? TWO_TURNS.slice(0, 3) : TWO_TURNS;
      // A call whose row nothing follows any more goes with its response.
      const isLeftOut = name === 'hanging in the middle' && row.tool === 'claude';
      const sent = isLeftOut ? expected.filter((_word, at) => at !== 1 && at !== 2) : expected;
      assert.equal(sketch(await session.ask('NEXT')), [...sent, 'NEXT'], name);
    }
  });

  test(`${row.tool} is seen while it runs, and not any more when it was killed in a tool; then it goes on`, async () => {
    const session = await sessionOf(row);
    session.restore();
    const use = () => row.store.usedBy(session.found, session.lookup, new Date());
    assert.is(await use(), null);
    const { child } = session.start('NEXT', ['tool=touch started; exec tail -f /dev/null']);
    // Killed before it has written the prompt down, a CLI has none to go on from.
    const isReady = () =>
      existsSync(path.join(session.home.project, 'started')) &&
      readFileSync(session.found.file, 'utf8').includes('NEXT');
    for (const until = Date.now() + 120_000; !isReady() && Date.now() < until; ) await wait(50);
    const used = await use();
    assert.match(used ?? '', new RegExp(`^${row.tool} \\(pid \\d+\\)`));
    process.kill(Number(/\d+/.exec(used!)![0]), 'SIGKILL');
    await once(child, 'close');
    assert.is(await use(), null);
    // The service takes no call without a response.
    const words = sketch(await session.ask('AFTER'));
    assert.equal([words.includes('NEXT'), words.at(-1)], [true, 'AFTER']);
  });
}

test.after(async () => {
  for (const session of await Promise.all(sessions?.values() ?? [])) await session.home.dispose();
  await (await api)?.close();
});

test.run();

let api: Promise<ModelApi> | undefined;
let sessions: Map<Row, Promise<Session>> | undefined;

/** The one session of this CLI; both begin at once. */
async function sessionOf(row: Row): Promise<Session> {
  api ??= startModelApi();
  const up = await api;
  sessions ??= new Map(ROWS.map((each) => [each, Session.begin(each, up)]));
  return sessions.get(row)!;
}

/** A session of two turns, each with a call. */
class Session {
  readonly lookup: { environment: Record<string, string>; cwd: string };
  found!: SessionFile;
  #original = Buffer.alloc(0);
  readonly #row: Row;
  readonly #api: ModelApi;
  readonly #run = randomUUID();
  readonly home: RealHome;

  static async begin(row: Row, api: ModelApi): Promise<Session> {
    const session = new Session(row, api);
    await session.ask('ONE', ['tool', 'says=DONE'], null);
    const [found] = await row.store.recent(session.lookup, new Date(0));
    assert.ok(found, `${row.tool} has left a session`);
    session.found = found;
    await session.ask('TWO', ['tool', 'says=DONE']);
    session.#original = readFileSync(found.file);
    return session;
  }

  constructor(row: Row, api: ModelApi) {
    this.#row = row;
    this.#api = api;
    this.home = new RealHome(row.tool, api.url('ok', this.#run));
    this.lookup = { environment: this.home.env, cwd: this.home.project };
  }

  /** As it was after two turns. */
  restore(): void {
    writeFileSync(this.found.file, this.#original);
  }

  /** Resumes with this prompt; gives the messages of its first request, those of the system left out. */
  async ask(prompt: string, scenarios: string[] = [], id: string | null = this.found.id): Promise<Message[]> {
    const before = this.#api.paid(this.#run).length;
    const { child, output } = this.start(prompt, scenarios, id);
    const [code] = await once(child, 'close');
    assert.is(code, 0, output());
    const [request] = this.#api.paid(this.#run).slice(before);
    return this.#row.messages(request!.body).filter((message) => !isOfTheSystem(message));
  }

  start(
    prompt: string,
    scenarios: string[] = [],
    id: string | null = this.found.id,
  ): { child: ChildProcess; output: () => string } {
    if (scenarios.length > 0) this.#api.script(scenarios, this.#run);
    const command = path.join(CLIS, '.bin', this.#row.tool);
    const child = spawn(command, this.#row.argv(id), { cwd: this.home.project, env: this.home.env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.stdin.end(prompt);
    return { child, output: () => output };
  }
}

const isOfTheSystem = (message: Message): boolean =>
  message.role === 'system' || message.role === 'developer' || textOf(message).startsWith('<environment_context>');

/** A word for each message: a person's own, what the model says, a call, a response. */
const sketch = (messages: readonly Message[]): string[] =>
  messages.map((message) => {
    if (message.role === 'user') return textOf(message).replace(/^<current_datetime>.*<\/current_datetime>\s*/, '');
    if (message.type === 'function_call' || message.tool_calls?.length) return 'call';
    return message.role === 'assistant' ? `says ${textOf(message)}` : 'response';
  });

function textOf({ content }: Message): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('');
}
