// codex's session files as conversations: what stands in them, what a resume would send wrongly, and how they are changed.

import { appendFileSync, readFileSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CODEX_SESSIONS } from '../../../../wrappers/codex/sessions/store.ts';
import type { Conversation, Edit, SessionFile } from '../../../../wrappers/sessions/store.ts';
import { writeLargeRollout } from '../../../sessions/large.ts';
import { apply, CODEX_ID, linesOf, SessionHome, sketch } from '../../../sessions/session-home.ts';

const test = suite<{ home: SessionHome }>('codex sessions');
test.before.each((context) => {
  context.home = new SessionHome();
});
test.after.each(({ home }) => home.dispose());

const THREE = linesOf('codex/three-turns.jsonl');
const SUMMED_UP = linesOf('codex/summed-up.jsonl');
const ONE = 'ONE: called responded "CANNED-ANSWER 42"';
const TWO = 'TWO: "CANNED-ANSWER 42"';

test('a rollout is read turn by turn', async ({ home }) => {
  home.rollout(THREE);
  const conversation = await open(home);
  assert.is(conversation.turns, 3);
  assert.equal(sketch(conversation.read(2, 3)), [TWO, 'THREE: called responded "CANNED-ANSWER 42"']);
  const [first] = conversation.read(1, 1);
  assert.is(first?.number, 1);
  assert.match(first?.at ?? '', /^2026-/);
  assert.equal(first?.tokens, { input: 11, output: 7 });
  assert.equal(first?.items[0], {
    how: 'called',
    id: 'call_test1',
    name: 'exec_command',
    input: '{"cmd":"echo tool-ran-ok"}',
  });
  const [, response] = first!.items;
  assert.ok(response?.how === 'responded' && response.name === 'exec_command' && !response.failed);
  assert.match(response.output, 'tool-ran-ok');
  const failure = conversation.read(3, 3)[0]!.items[1];
  assert.ok(failure?.how === 'responded' && failure.failed, 'it ended with exit code 1');
});

test('turns beyond the conversation are none', async ({ home }) => {
  home.rollout(THREE);
  const conversation = await open(home);
  assert.equal(conversation.read(4, 9), []);
  assert.equal(conversation.read(0, 0), []);
  assert.is(conversation.read(-5, 99).length, 3);
});

test('tokens are those of the last request, and of all', async ({ home }) => {
  home.rollout(THREE);
  const conversation = await open(home);
  assert.equal(conversation.contextTokens(), { input: 11, output: 7 });
  assert.is(conversation.totalTokens(), 90);
  assert.equal(conversation.countedSoFar(), {
    input_tokens: 55,
    cached_tokens: 0,
    output_tokens: 35,
    total_tokens: 90,
  });
});

test('nothing is counted in a conversation without a request', async ({ home }) => {
  home.rollout(THREE.slice(0, 9));
  const conversation = await open(home);
  assert.is(conversation.contextTokens(), null);
  assert.is(conversation.totalTokens(), null);
  assert.is(conversation.countedSoFar(), null);
});

test('a thought, a call of another kind, an interruption and an error are items', async ({ home }) => {
  home.rollout([
    ...THREE.slice(0, 9),
    item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'x' }),
    item({ type: 'reasoning', summary: [], encrypted_content: 'x' }),
    item({ type: 'local_shell_call', call_id: 'a', action: { command: ['ls'] } }),
    item({ type: 'custom_tool_call', call_id: 'b', name: 'apply_patch', input: '*** Begin' }),
    item({ type: 'custom_tool_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'done' }] }),
    item({ type: 'function_call_output', call_id: 'a', output: { content: 'gone', success: false } }),
    event({ type: 'error', message: 'no room' }),
    event({ type: 'turn_aborted', reason: 'interrupted' }),
    item({ type: 'a_new_kind', text: 'x' }),
    event({ type: 'a_new_kind' }),
  ]);
  const [turn] = (await open(home)).read(1, 1);
  assert.equal(turn?.items, [
    { how: 'thought', text: 'hm' },
    { how: 'called', id: 'a', name: 'local_shell', input: '{"command":["ls"]}' },
    { how: 'called', id: 'b', name: 'apply_patch', input: '"*** Begin"' },
    { how: 'responded', id: 'b', name: 'apply_patch', output: 'done', failed: false },
    { how: 'responded', id: 'a', name: 'local_shell', output: 'gone', failed: true },
    { how: 'noted', text: 'no room' },
    { how: 'noted', text: 'the turn was interrupted' },
  ]);
});

test('what codex says in the role of a person is no prompt, unless a person said it', async ({ home }) => {
  const words = ['<environment_context>\nx', '# AGENTS.md instructions for /work', '<user_instructions>x'];
  const message = (text: string, kinds?: string[]) =>
    item({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text }],
      ...(kinds ? { internal_chat_message_metadata_passthrough: { content_item_kinds: kinds } } : {}),
    });
  home.rollout([
    THREE[0]!,
    ...words.map((text) => message(text)),
    message('its own', ['hooks.note']),
    message('"content_item_kinds":["user.', ['hooks.note']),
    message('from an older version'),
    message('of a kind without a name', ['unknown']),
    message(words[0]!, ['user.text']),
  ]);
  assert.equal(
    (await open(home)).read(1, 9).map(({ prompt }) => prompt),
    ['from an older version', 'of a kind without a name', words[0]],
  );
});

test('what was rolled back is gone', async ({ home }) => {
  home.rollout([...THREE, rollback(2)]);
  assert.equal(sketch((await open(home)).read(1, 9)), [ONE]);
  home.rollout([...THREE, rollback(99)]);
  assert.is((await open(home)).turns, 0);
});

test('a summary keeps the turns, and a rollback takes it for one of them', async ({ home }) => {
  home.rollout(SUMMED_UP);
  const all = [ONE, TWO, 'THREE: called responded "CANNED-ANSWER 42" noted'];
  const later = ['FOUR: "CANNED-ANSWER 42"', 'FIVE: "CANNED-ANSWER 42"'];
  assert.equal(sketch((await open(home)).read(1, 9)), [...all, ...later]);
  home.rollout([...SUMMED_UP, rollback(2)]);
  assert.equal(sketch((await open(home)).read(1, 9)), all);
  const [third] = (await open(home)).read(3, 3);
  assert.ok(third!.tokens!.input > 100, 'what the next request will take, as codex estimates it');
  home.rollout([...SUMMED_UP, rollback(4)]);
  assert.equal(sketch((await open(home)).read(1, 9)), all.slice(0, 2));
});

const EDITS: readonly [string, (conversation: Conversation) => Edit, string[]][] = [
  ['before(3)', (c) => c.before(3), [ONE, TWO]],
  ['before(2)', (c) => c.before(2), [ONE]],
  ['before(1)', (c) => c.before(1), []],
  ['afterPrompt(3)', (c) => c.afterPrompt(3), [ONE, TWO, 'THREE:']],
  ['afterPrompt(2)', (c) => c.afterPrompt(2), [ONE, 'TWO:']],
  ['afterPrompt(1)', (c) => c.afterPrompt(1), ['ONE:']],
  ['withoutLastStep()', (c) => c.withoutLastStep(), [ONE, TWO, 'THREE: called responded']],
];

for (const [name, edit, expected] of EDITS) {
  test(`${name} appends a rollback and what stays`, async ({ home }) => {
    const file = home.rollout(THREE);
    const before = readFileSync(file);
    const plan = edit(await open(home));
    assert.is(plan.how, 'append');
    assert.equal(readFileSync(file), before, 'a plan writes nothing');
    apply(file, plan);
    const conversation = await open(home);
    assert.equal(sketch(conversation.read(1, 9)), expected);
    assert.is(conversation.totalTokens(), 90, 'what was taken back was paid all the same');
    const records = recordsIn(file);
    assert.equal(
      records.map(({ ordinal }) => ordinal),
      [...records.keys()],
      'codex wants every record numbered',
    );
    const instructions = records.filter(({ payload }) => payload.role === 'developer');
    assert.is(instructions.length, 1, 'what the model was told at the very beginning is not rolled back');
    const count = records.findLast(({ payload }) => payload.type === 'token_count');
    assert.is(count?.payload.info?.total_token_usage.total_tokens, 90, 'codex counts on from what was paid');
  });
}

test('the last step goes, and the one before, down to nothing', async ({ home }) => {
  const file = home.rollout(THREE);
  const seen: string[] = [];
  for (let edit: Edit = { how: 'append', text: '' }; edit.how !== 'none'; ) {
    edit = (await open(home)).withoutLastStep();
    apply(file, edit);
    seen.push(sketch((await open(home)).read(1, 9)).at(-1) ?? '');
  }
  assert.equal(seen, ['THREE: called responded', 'THREE:', TWO, 'TWO:', ONE, 'ONE: called responded', 'ONE:', '', '']);
});

test('a prompt without an answer stays as it is', async ({ home }) => {
  const file = home.rollout(THREE);
  apply(file, (await open(home)).afterPrompt(3));
  assert.equal((await open(home)).afterPrompt(3), { how: 'none' });
});

test('a turn that was not', async ({ home }) => {
  home.rollout(THREE);
  const conversation = await open(home);
  assert.throws(() => conversation.before(4), /there is no turn 4 among 3/);
  assert.throws(() => conversation.afterPrompt(0), /there is no turn 0/);
});

test('half a last line is skipped, and ended before anything is appended', async ({ home }) => {
  const file = home.rollout(THREE);
  appendFileSync(
    file,
    '{"timestamp":"2026-01-02T03:04:05.678Z","ordinal":44,"type":"event_msg","payload":{"type":"thread_rol',
  );
  const conversation = await open(home);
  assert.is(conversation.turns, 3);
  apply(file, conversation.before(3));
  assert.equal(sketch((await open(home)).read(1, 9)), [ONE, TWO]);
});

test('behind a summary the file is cut, where its own beginning is right', async ({ home }) => {
  const file = home.rollout(SUMMED_UP);
  assert.is((await open(home)).before(4).how, 'append', 'nothing was summed up since');
  const edit = (await open(home)).before(3);
  assert.is(edit.how, 'cut');
  apply(file, edit);
  assert.equal(readFileSync(file, 'utf8').split('\n').slice(0, -1), SUMMED_UP.slice(0, 29 + 1));
  home.rollout(SUMMED_UP);
  apply(file, (await open(home)).afterPrompt(3));
  assert.equal(sketch((await open(home)).read(1, 9)), [ONE, TWO, 'THREE:']);
});

test('records without numbers, as of older versions, are cut', async ({ home }) => {
  const old = THREE.map((line) => line.replace(/"ordinal":\d+,/, '').replace('"history_mode":"paginated"', '"x":1'));
  const file = home.rollout(old);
  const edit = (await open(home)).before(2);
  assert.is(edit.how, 'cut');
  apply(file, edit);
  assert.equal(sketch((await open(home)).read(1, 9)), [ONE]);
});

const RESPONSE = THREE.findIndex((line) => line.includes('"type":"function_call_output"'));

test('a doubled response is a flaw, and mended by saying the turns anew', async ({ home }) => {
  const file = home.rollout([...THREE.slice(0, RESPONSE + 1), ...THREE.slice(RESPONSE)]);
  const conversation = await open(home);
  const flaws = conversation.flaws('0.169.0')!;
  assert.equal(flaws, [{ how: 'doubled_response', turn: 1, id: 'call_test1', name: 'exec_command' }]);
  const edit = conversation.repair(flaws);
  assert.is(edit.how, 'append');
  apply(file, edit);
  const mended = await open(home);
  assert.equal(mended.flaws('0.169.0'), []);
  assert.equal(sketch(mended.read(1, 9)), [ONE, TWO, 'THREE: called responded "CANNED-ANSWER 42"']);
  assert.equal([mended.contextTokens(), mended.totalTokens()], [{ input: 11, output: 7 }, 90]);
});

test('what codex heals itself is no flaw', async ({ home }) => {
  const stray = THREE[RESPONSE]!.replaceAll('call_test1', 'call_stray');
  for (const lines of [
    THREE,
    THREE.filter((_line, at) => at !== RESPONSE),
    [...THREE, stray],
    [...THREE, stray, stray],
    [...THREE.slice(0, RESPONSE + 1), ...THREE.slice(RESPONSE), rollback(3)],
  ]) {
    home.rollout(lines);
    const conversation = await open(home);
    for (const version of ['0.169.0', '0.171.0']) assert.equal(conversation.flaws(version), []);
    assert.equal(conversation.repair([]), { how: 'none' });
  }
});

test('nobody can say what another version sends', async ({ home }) => {
  home.rollout(THREE);
  const conversation = await open(home);
  for (const version of [null, '0.170.0', '0.16.9', '10.169.0', '']) assert.is(conversation.flaws(version), null);
});

test('what was summed up is not sent any more, and no flaw; what a second summary took in still is to be read', async ({
  home,
}) => {
  const summary = SUMMED_UP.find((line) => line.includes('"type":"compacted"'))!;
  home.rollout([...SUMMED_UP.slice(0, RESPONSE + 1), ...SUMMED_UP.slice(RESPONSE)]);
  assert.equal((await open(home)).flaws('0.169.0'), []);
  home.rollout([...THREE, summary, item({ type: 'message', role: 'assistant', content: 'more' }), summary]);
  assert.is(sketch((await open(home)).read(3, 3))[0], 'THREE: called responded "CANNED-ANSWER 42" noted "more" noted');
});

test('a step ends with its responses, counted or not', async ({ home }) => {
  const step = (id: string) => [
    item({ type: 'function_call', name: 'x', arguments: '{}', call_id: id }),
    item({ type: 'function_call_output', call_id: id, output: id }),
  ];
  const file = home.rollout([...THREE.slice(0, 9), ...step('a'), ...step('b')]);
  apply(file, (await open(home)).withoutLastStep());
  assert.equal(sketch((await open(home)).read(1, 9)), ['ONE: called responded']);
});

test('a session is found by its id, wherever its day is', async ({ home }) => {
  home.rollout(THREE, 'other', '2025/12/31');
  const file = home.rollout(THREE, CODEX_ID, '2024/02/29');
  const { size, mtimeMs } = statSync(file);
  assert.equal(await CODEX_SESSIONS.find(CODEX_ID, home.lookup), {
    tool: 'codex',
    id: CODEX_ID,
    file,
    cwd: '/work',
    cliVersion: '0.169.0',
    bytes: size,
    changedAtMs: mtimeMs,
  });
  for (const id of ['', '51aae276371a', '../x', '__proto__', 'toString'])
    assert.is(await CODEX_SESSIONS.find(id, home.lookup), null);
});

test('$CODEX_HOME goes before the home', async ({ home }) => {
  home.write(`elsewhere/sessions/2026/01/02/rollout-2026-01-02T03-04-05-${CODEX_ID}.jsonl`, THREE);
  assert.is(await CODEX_SESSIONS.find(CODEX_ID, home.lookup), null);
  const environment = { ...home.lookup.environment, CODEX_HOME: path.join(home.root, 'elsewhere') };
  assert.ok(await CODEX_SESSIONS.find(CODEX_ID, { ...home.lookup, environment }));
});

test('recent ones are those that changed, whatever day they began, the newest first', async ({ home }) => {
  const at = (file: string, time: string) => utimesSync(file, new Date(time), new Date(time));
  const begun = (id: string) => [THREE[0]!.replaceAll(CODEX_ID, id)];
  at(home.rollout(begun('old'), 'old', '2026/01/02'), '2026-01-02');
  at(home.rollout(begun('resumed'), 'resumed', '2025/06/01'), '2026-01-10');
  at(home.rollout(begun('new'), 'new', '2026/01/09'), '2026-01-09');
  const subagents = begun('sub').map((line) => line.replace('"source":"exec"', '"source":{"subagent":"review"}'));
  at(home.rollout(subagents, 'sub', '2026/01/09'), '2026-01-09');
  at(home.rollout('no session', 'broken', '2026/01/09'), '2026-01-09');
  const found = await CODEX_SESSIONS.recent(home.lookup, new Date('2026-01-05'));
  assert.equal(
    found.map(({ id }) => id),
    ['resumed', 'new'],
  );
});

test('no link is followed', async ({ home }) => {
  const away = home.write(`away/2026/01/02/rollout-2026-01-02T03-04-05-${CODEX_ID}.jsonl`, THREE);
  home.write('.codex/sessions/2026/01/02/note', '');
  symlinkSync(path.join(home.root, 'away/2026'), path.join(home.root, '.codex/sessions/2027'));
  symlinkSync(away, path.join(home.root, `.codex/sessions/2026/01/02/${path.basename(away)}`));
  assert.is(await CODEX_SESSIONS.find(CODEX_ID, home.lookup), null);
  assert.equal(await CODEX_SESSIONS.recent(home.lookup, new Date(0)), []);
});

test('the first prompt is there without the rest', async ({ home }) => {
  home.rollout(THREE);
  assert.is(CODEX_SESSIONS.firstPrompt(await find(home)), 'ONE');
  home.rollout(THREE.slice(0, 7));
  assert.is(CODEX_SESSIONS.firstPrompt(await find(home)), null);
});

test('of a large file no more is read than it takes', async ({ home }) => {
  const file = home.rollout('');
  const turns = writeLargeRollout(file, CODEX_ID, { records: 4000, bytes: 8_000_000 });
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
  const session = await CODEX_SESSIONS.find(CODEX_ID, home.lookup);
  assert.ok(session);
  return session;
}

const open = async (home: SessionHome): Promise<Conversation> => CODEX_SESSIONS.open(await find(home));

function record(type: string, payload: object): string {
  return JSON.stringify({ timestamp: '2026-01-02T03:04:05.678Z', ordinal: 1000, type, payload });
}
function item(payload: object): string {
  return record('response_item', payload);
}
function event(payload: object): string {
  return record('event_msg', payload);
}
function rollback(turns: number): string {
  return event({ type: 'thread_rolled_back', num_turns: turns });
}

interface Rollout {
  ordinal: number;
  payload: { type?: string; role?: string; info?: { total_token_usage: { total_tokens: number } } };
}
const recordsIn = (file: string): Rollout[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
