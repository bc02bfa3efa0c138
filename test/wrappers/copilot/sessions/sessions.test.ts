// copilot's session files as conversations: what stands in them, and where they are cut.

import { appendFileSync, readFileSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { COPILOT_SESSIONS } from '../../../../wrappers/copilot/sessions/store.ts';
import type { Conversation, Edit, SessionFile } from '../../../../wrappers/sessions/store.ts';
import { writeLargeEvents } from '../../../sessions/large.ts';
import { apply, COPILOT_ID, linesOf, SessionHome, sketch } from '../../../sessions/session-home.ts';

const test = suite<{ home: SessionHome }>('copilot sessions');
test.before.each((context) => {
  context.home = new SessionHome();
});
test.after.each(({ home }) => home.dispose());

const THREE = linesOf('copilot/three-turns.jsonl');
const ONE = 'ONE: called responded "CANNED-ANSWER 42"';
const TWO = 'TWO: "CANNED-ANSWER 42"';

test('events are read turn by turn', async ({ home }) => {
  home.events(THREE);
  const conversation = await open(home);
  assert.is(conversation.turns, 3);
  assert.equal(sketch(conversation.read(2, 3)), [TWO, 'THREE: called responded "CANNED-ANSWER 42"']);
  const [first] = conversation.read(1, 1);
  assert.is(first?.number, 1);
  assert.match(first?.at ?? '', /^2026-/);
  assert.equal(first?.tokens, { input: 11, output: 7 });
  const [call, response] = first!.items;
  assert.ok(call?.how === 'called' && call.name === 'bash' && response?.how === 'responded');
  assert.is(JSON.parse(call.input).command, 'echo tool-ran-ok');
  assert.equal([response.id, response.name, response.failed], [call.id, 'bash', false]);
  assert.match(response.output, /^tool-ran-ok/);
});

test('turns beyond the conversation are none', async ({ home }) => {
  home.events(THREE);
  const conversation = await open(home);
  assert.equal(conversation.read(4, 9), []);
  assert.equal(conversation.read(0, 0), []);
  assert.is(conversation.read(-5, 99).length, 3);
});

test('tokens are those of the last request, and of all', async ({ home }) => {
  home.events([
    ...THREE,
    event('session.usage_record', { usage: { inputTokens: 500, outputTokens: 40 } }),
    event('session.usage_record', { usage: { inputTokens: 3, outputTokens: 1, interactionType: 'subagent' } }),
    event('session.usage_record', { usage: { inputTokens: 3, outputTokens: 1 } }, { agentId: 'a' }),
    event('session.usage_record', { usage: { inputTokens: 'many' } }),
  ]);
  const conversation = await open(home);
  assert.equal(conversation.contextTokens(), { input: 500, output: 40 });
  assert.is(conversation.totalTokens(), 5 * 18 + 540 + 4 + 4);
});

test('nothing is counted in a conversation without a request', async ({ home }) => {
  home.events(THREE.slice(0, 2));
  const conversation = await open(home);
  assert.is(conversation.contextTokens(), null);
  assert.is(conversation.totalTokens(), null);
});

test('a thought, an error, an abort and a summary are items', async ({ home }) => {
  home.events([
    ...THREE.slice(0, 2),
    event('assistant.message', {
      content: 'so',
      reasoningText: 'hm',
      toolRequests: [{ toolCallId: 'a', name: 'bash' }],
    }),
    event('tool.execution_complete', { toolCallId: 'a', success: false, error: { message: 'denied', code: 'denied' } }),
    event('session.error', { errorType: 'query', message: 'no room' }),
    event('session.compaction_complete', { success: true }),
    event('abort', { reason: 'user initiated' }),
    event('a.new_kind', { content: 'x' }),
  ]);
  assert.equal((await open(home)).read(1, 1)[0]?.items, [
    { how: 'thought', text: 'hm' },
    { how: 'said', text: 'so' },
    { how: 'called', id: 'a', name: 'bash', input: '{}' },
    { how: 'responded', id: 'a', name: 'bash', output: 'denied', failed: true },
    { how: 'noted', text: 'no room' },
    { how: 'noted', text: 'copilot summed up the conversation so far' },
    { how: 'noted', text: 'the turn was aborted (user initiated)' },
  ]);
});

test('subagents, skills and the autopilot have no turns', async ({ home }) => {
  home.events([
    ...THREE,
    event('user.message', { content: 'look', source: 'agent-a' }),
    event('user.message', { content: 'look' }, { agentId: 'a' }),
    event('user.message', { content: 'continue', isAutopilotContinuation: true }),
    event('assistant.message', { content: 'found', parentToolCallId: 'a' }),
    event('assistant.message', { content: 'found' }, { agentId: 'a' }),
    event('user.message', { content: 'say "source": or "agentId": as I do', source: 'user' }),
    event('user.message', { content: 'and "agentId":"x"' }),
  ]);
  const turns = (await open(home)).read(3, 9);
  assert.equal(sketch(turns), [
    'THREE: called responded "CANNED-ANSWER 42"',
    'say "source": or "agentId": as I do:',
    'and "agentId":"x":',
  ]);
});

const EDITS: readonly [string, (conversation: Conversation) => Edit, string[], number][] = [
  ['before(3)', (c) => c.before(3), [ONE, TWO], 22],
  ['before(2)', (c) => c.before(2), [ONE], 15],
  ['before(1)', (c) => c.before(1), [], 1],
  ['afterPrompt(3)', (c) => c.afterPrompt(3), [ONE, TWO, 'THREE:'], 23],
  ['afterPrompt(1)', (c) => c.afterPrompt(1), ['ONE:'], 2],
  ['withoutLastStep()', (c) => c.withoutLastStep(), [ONE, TWO, 'THREE: called responded'], 29],
];

for (const [name, edit, expected, lines] of EDITS) {
  test(`${name} is a cut`, async ({ home }) => {
    const file = home.events(THREE);
    const plan = edit(await open(home));
    assert.is(readFileSync(file, 'utf8'), `${THREE.join('\n')}\n`, 'a plan writes nothing');
    apply(file, plan);
    assert.equal(
      readFileSync(file, 'utf8'),
      THREE.slice(0, lines)
        .map((line) => `${line}\n`)
        .join(''),
    );
    assert.equal(sketch((await open(home)).read(1, 9)), expected);
  });
}

test('the last step goes, and the one before, down to nothing', async ({ home }) => {
  const file = home.events(THREE);
  const seen: string[] = [];
  for (let edit: Edit = { how: 'append', text: '' }; edit.how !== 'none'; ) {
    edit = (await open(home)).withoutLastStep();
    apply(file, edit);
    seen.push(sketch((await open(home)).read(1, 9)).at(-1) ?? '');
  }
  assert.equal(seen, ['THREE: called responded', 'THREE:', TWO, 'TWO:', ONE, 'ONE: called responded', 'ONE:', '', '']);
});

test('what a subagent says is no step of its own', async ({ home }) => {
  const file = home.events([
    ...THREE.slice(0, 2),
    event('assistant.message', { content: '', toolRequests: [{ toolCallId: 'a', name: 'task' }] }),
    event('assistant.message', { content: 'found' }, { agentId: 'a' }),
    event('tool.execution_complete', { toolCallId: 'a', success: true, result: { content: 'found' } }),
  ]);
  apply(file, (await open(home)).withoutLastStep());
  assert.equal(sketch((await open(home)).read(1, 9)), ['ONE:']);
});

test('a prompt without an answer stays as it is', async ({ home }) => {
  const file = home.events(THREE);
  apply(file, (await open(home)).afterPrompt(3));
  assert.equal((await open(home)).afterPrompt(3), { how: 'none' });
});

test('a turn that was not', async ({ home }) => {
  home.events(THREE);
  const conversation = await open(home);
  assert.throws(() => conversation.before(4), /there is no turn 4 among 3/);
  assert.throws(() => conversation.afterPrompt(0), /there is no turn 0/);
});

test('half a last line is skipped', async ({ home }) => {
  appendFileSync(home.events(THREE), '{"type":"user.message","data":{"content":"FO');
  assert.is((await open(home)).turns, 3);
});

const RESPONSE = THREE.findIndex((line) => line.startsWith('{"type":"tool.execution_complete"'));

test('copilot heals what it finds, as far as its version was looked at', async ({ home }) => {
  for (const lines of [THREE, THREE.filter((_line, at) => at !== RESPONSE), [...THREE, THREE[RESPONSE]!]]) {
    home.events(lines);
    const conversation = await open(home);
    assert.equal(conversation.flaws('1.0.102'), []);
    assert.equal(conversation.repair([]), { how: 'none' });
    for (const version of [null, '1.0.103', '1.0.10', '11.0.102']) assert.is(conversation.flaws(version), null);
  }
});

test('a session is found by its id', async ({ home }) => {
  const file = home.events(THREE);
  const { size, mtimeMs } = statSync(file);
  assert.equal(await COPILOT_SESSIONS.find(COPILOT_ID, home.lookup), {
    tool: 'copilot',
    id: COPILOT_ID,
    file,
    cwd: '/work',
    cliVersion: '1.0.102',
    bytes: size,
    changedAtMs: mtimeMs,
  });
  for (const id of ['', '..', `../session-state/${COPILOT_ID}`, `${COPILOT_ID}/`, '__proto__', '.'])
    assert.is(await COPILOT_SESSIONS.find(id, home.lookup), null);
});

test('$COPILOT_HOME goes before the home', async ({ home }) => {
  home.write(`elsewhere/session-state/${COPILOT_ID}/events.jsonl`, THREE);
  assert.is(await COPILOT_SESSIONS.find(COPILOT_ID, home.lookup), null);
  const environment = { ...home.lookup.environment, COPILOT_HOME: path.join(home.root, 'elsewhere') };
  assert.ok(await COPILOT_SESSIONS.find(COPILOT_ID, { ...home.lookup, environment }));
});

test('recent ones are those that changed, the newest first', async ({ home }) => {
  const at = (id: string, time: string, lines = [THREE[0]!.replaceAll(COPILOT_ID, id)]) =>
    utimesSync(home.events(lines, id), new Date(time), new Date(time));
  at('old', '2026-01-02');
  at('new', '2026-01-09');
  at('newest', '2026-01-10');
  at('broken', '2026-01-10', ['what?']);
  at('anothers', '2026-01-10', THREE);
  home.write('.copilot/session-state/.session-operation-locks/x.lock', '');
  const found = await COPILOT_SESSIONS.recent(home.lookup, new Date('2026-01-05'));
  assert.equal(
    found.map(({ id }) => id),
    ['newest', 'new'],
  );
});

test('no link is followed', async ({ home }) => {
  home.write(`away/${COPILOT_ID}/events.jsonl`, THREE);
  home.write('.copilot/session-state/linked/note', '');
  const state = path.join(home.root, '.copilot/session-state');
  symlinkSync(path.join(home.root, 'away', COPILOT_ID), path.join(state, COPILOT_ID));
  symlinkSync(path.join(home.root, 'away', COPILOT_ID, 'events.jsonl'), path.join(state, 'linked/events.jsonl'));
  for (const id of [COPILOT_ID, 'linked']) assert.is(await COPILOT_SESSIONS.find(id, home.lookup), null);
  assert.equal(await COPILOT_SESSIONS.recent(home.lookup, new Date(0)), []);
});

test('the first prompt is there without the rest', async ({ home }) => {
  home.events(THREE);
  assert.is(COPILOT_SESSIONS.firstPrompt(await find(home)), 'ONE');
  home.events(THREE.slice(0, 1));
  assert.is(COPILOT_SESSIONS.firstPrompt(await find(home)), null);
});

test('of a large file no more is read than it takes', async ({ home }) => {
  const turns = writeLargeEvents(home.events(''), COPILOT_ID, { records: 4000, bytes: 8_000_000 });
  const conversation = await open(home);
  assert.is(conversation.turns, turns);
  assert.equal(
    conversation.read(turns - 19, turns).map(({ prompt }) => prompt),
    Array.from({ length: 20 }, (_, at) => `prompt ${turns - 19 + at}`),
  );
  assert.equal(conversation.contextTokens(), { input: 11 + turns, output: 7 });
});

test.run();

async function find(home: SessionHome): Promise<SessionFile> {
  const session = await COPILOT_SESSIONS.find(COPILOT_ID, home.lookup);
  assert.ok(session);
  return session;
}

const open = async (home: SessionHome): Promise<Conversation> => COPILOT_SESSIONS.open(await find(home));

function event(type: string, data: object, more: object = {}): string {
  return JSON.stringify({ type, data, id: 'e', timestamp: '2026-01-02T03:04:05.678Z', parentId: null, ...more });
}
