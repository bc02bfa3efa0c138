// claude's session files as conversations: which rows of the tree stand, and how a mark takes them back.

import { appendFileSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CLAUDE_SESSIONS } from '../../../../wrappers/claude/sessions/store.ts';
import type { Conversation, Edit, SessionFile } from '../../../../wrappers/sessions/store.ts';
import { apply, CLAUDE_ID, linesOf, SessionHome, sketch } from '../../../sessions/session-home.ts';

const test = suite<{ home: SessionHome }>('claude sessions');
test.before.each((context) => {
  context.home = new SessionHome();
});
test.after.each(({ home }) => home.dispose());

const THREE = linesOf('claude/three-turns.jsonl');
const SUMMED_UP = linesOf('claude/summed-up.jsonl');
/** Its calls were made at once; the second was answered first, and the rows continue from the first alone. */
const ONE = 'ONE: thought called called responded responded "CANNED-ANSWER 42"';
const TWO = 'TWO: "CANNED-ANSWER 42"';
const FULL = 'THREE: called responded "CANNED-ANSWER 42"';

test('a transcript is read turn by turn', async ({ home }) => {
  home.transcript(THREE);
  const conversation = await open(home);
  assert.is(conversation.turns, 3);
  assert.equal(sketch(conversation.read(1, 9)), [ONE, TWO, FULL]);
  const [first] = conversation.read(1, 1);
  assert.is(first?.at, '2026-11-23T15:29:08.511Z');
  assert.equal(first?.tokens, { input: 150, output: 7 });
  assert.equal(first?.items.slice(1, 5), [
    { how: 'called', id: 'toolu_test1', name: 'Bash', input: '{"command":"echo one"}' },
    { how: 'called', id: 'toolu_test2', name: 'Bash', input: '{"command":"echo two"}' },
    { how: 'responded', id: 'toolu_test1', name: 'Bash', output: 'one', failed: false },
    { how: 'responded', id: 'toolu_test2', name: 'Bash', output: 'two', failed: false },
  ]);
  const failed = conversation.read(3, 3)[0]?.items[1];
  assert.ok(failed?.how === 'responded' && failed.failed);
  assert.equal(conversation.read(4, 9), []);
  assert.is(conversation.read(-5, 99).length, 3);
});

test('tokens are those of the last request, and of all, each message once', async ({ home }) => {
  const file = home.transcript(THREE);
  const conversation = await open(home);
  assert.equal(conversation.contextTokens(), { input: 150, output: 7 });
  assert.is(conversation.totalTokens(), 5 * 157);
  apply(file, conversation.before(2));
  assert.is((await open(home)).totalTokens(), 5 * 157, 'what was taken back was paid for');
  home.transcript(THREE.slice(0, 4));
  const begun = await open(home);
  assert.equal([begun.contextTokens(), begun.totalTokens()], [null, null]);
});

const EDITS: readonly [string, (conversation: Conversation) => Edit, string[]][] = [
  ['before(3)', (c) => c.before(3), [ONE, TWO]],
  ['before(2)', (c) => c.before(2), [ONE]],
  ['before(1)', (c) => c.before(1), []],
  ['afterPrompt(3)', (c) => c.afterPrompt(3), [ONE, TWO, 'THREE:']],
  ['afterPrompt(1)', (c) => c.afterPrompt(1), ['ONE:']],
  ['withoutLastStep()', (c) => c.withoutLastStep(), [ONE, TWO, 'THREE: called responded']],
];

for (const [name, edit, expected] of EDITS) {
  test(`${name} is a mark at the end`, async ({ home }) => {
    const file = home.transcript(THREE);
    const plan = edit(await open(home));
    assert.is(readFileSync(file, 'utf8'), `${THREE.join('\n')}\n`, 'a plan writes nothing');
    apply(file, plan);
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    assert.equal(lines.slice(0, -1), THREE);
    assert.is(JSON.parse(lines.at(-1)!).explicit, true);
    assert.equal(sketch((await open(home)).read(1, 9)), expected);
    appendFileSync(file, said('FOUR', leafOf(lines.at(-1)!)));
    assert.equal(sketch((await open(home)).read(1, 9)), [...expected, 'FOUR: "CANNED-ANSWER 42"'], 'it continues');
  });
}

for (const [name, edit, expected] of EDITS) {
  test(`${name} is a cut, if a version that reads no mark wrote last`, async ({ home }) => {
    const lines = THREE.map((line) => line.replace(/"version":"[^"]+"/, '"version":"2.1.100"'));
    const file = home.transcript(lines);
    const plan = edit(await open(home));
    if (expected.length === 0) return assert.is(plan.how, 'impossible');
    assert.is(plan.how, 'cut');
    apply(file, plan);
    assert.ok(`${lines.join('\n')}\n`.startsWith(readFileSync(file, 'utf8')), 'nothing is written');
    assert.equal(sketch((await open(home)).read(1, 9)), expected);
  });
}

test('the last step goes, and the one before, down to nothing', async ({ home }) => {
  const file = home.transcript(THREE);
  const seen: string[] = [];
  for (let edit: Edit = { how: 'append', text: '' }; edit.how !== 'none'; ) {
    edit = (await open(home)).withoutLastStep();
    apply(file, edit);
    seen.push(sketch((await open(home)).read(1, 9)).at(-1) ?? '');
  }
  const one = ['ONE: thought called called responded responded', 'ONE:', '', ''];
  assert.equal(seen, ['THREE: called responded', 'THREE:', TWO, 'TWO:', ONE, ...one]);
});

test('a prompt without an answer stays as it is', async ({ home }) => {
  const file = home.transcript(THREE);
  apply(file, (await open(home)).afterPrompt(3));
  assert.equal((await open(home)).afterPrompt(3), { how: 'none' });
});

test('a turn that was not', async ({ home }) => {
  home.transcript(THREE);
  const conversation = await open(home);
  assert.throws(() => conversation.before(4), /there is no turn 4 among 3/);
  assert.throws(() => conversation.afterPrompt(0), /there is no turn 0/);
});

test('the chain decides, and not the order of the lines', async ({ home }) => {
  const branch = said('BRANCH', leafAfter('TWO'));
  for (const [name, more, expected] of [
    ['a branch that no mark names', [branch], [ONE, TWO, FULL]],
    ['a branch that is marked', [branch, mark(idOf(branch))], [ONE, TWO, 'BRANCH: "CANNED-ANSWER 42"']],
    ['a mark on the way', [mark(leafAfter('ONE'))], [ONE, TWO, FULL]],
    ['a mark of a row that never came', [mark('nobody')], [ONE, TWO, FULL]],
    ['a mark without a row', ['{"type":"last-prompt","lastPrompt":"x"}'], [ONE, TWO, FULL]],
    ['a rewind', [mark(leafAfter('ONE'), true)], [ONE]],
    ['a rewind, noted once more', [mark(leafAfter('ONE'), true), mark(leafAfter('ONE'))], [ONE]],
    ['a rewind that was continued from', [mark(leafAfter('ONE'), true), said('X', leafAfter('ONE'))], [ONE, X]],
    ['all of it taken back', [mark(null, true)], []],
    ['a row said twice', [THREE.find((line) => line.includes('"uuid"'))!], [ONE, TWO, FULL]],
  ] as const) {
    home.transcript([...THREE, ...more.map((line) => line.trimEnd())]);
    assert.equal(sketch((await open(home)).read(1, 9)), expected, name);
  }
});

const X = 'X: "CANNED-ANSWER 42"';

test('where a parent is gone, the row before is what it follows', async ({ home }) => {
  home.transcript(THREE.filter((line) => !line.includes('"type":"attachment"')));
  assert.equal(sketch((await open(home)).read(1, 9)), [ONE, TWO, FULL]);
});

test('subagents, continuations and commands are no prompts, and what claude says itself is no answer', async ({
  home,
}) => {
  const rows = [
    user('sub', { isSidechain: true }),
    user('Your response above was cut off', { isMeta: true }),
    user('<task-notification>done</task-notification>'),
    user('a task ended', { promptSource: 'system' }),
    user('<command-name>/compact</command-name>'),
    user('<local-command-caveat>below', { isMeta: true }),
    user('[Request interrupted by user for tool use]'),
    assistant('API Error: 500', { isApiErrorMessage: true }, '<synthetic>'),
    assistant('No response requested.', {}, '<synthetic>'),
    assistant('of a subagent', { isSidechain: true }),
  ];
  let parent = leafAfter('THREE');
  const chained = rows.map((row) => {
    const line = JSON.stringify({ ...row, parentUuid: parent });
    if (row.isSidechain !== true) parent = row.uuid;
    return line;
  });
  home.transcript([...THREE, ...chained]);
  const turns = (await open(home)).read(1, 9);
  assert.is(turns.length, 3);
  assert.equal(
    turns[2]!.items.slice(3).map((item) => (item.how === 'noted' ? item.text : item.how)),
    [
      'Your response above was cut off',
      '<task-notification>done</task-notification>',
      'a task ended',
      '<command-name>/compact</command-name>',
      '[Request interrupted by user for tool use]',
      'API Error: 500',
    ],
  );
  assert.equal((await open(home)).afterPrompt(3).how, 'append');
});

test('behind a summary the file is cut, since claude keeps nothing of what it summed up', async ({ home }) => {
  const all = [ONE, TWO, `${FULL} noted noted noted`, 'FOUR: "CANNED-ANSWER 42"', 'FIVE: "DONE"'];
  const file = home.transcript(SUMMED_UP);
  const conversation = await open(home);
  assert.equal(sketch(conversation.read(1, 9)), all);
  assert.is(conversation.before(4).how, 'append', 'nothing was summed up since');
  assert.is(conversation.before(1).how, 'append', 'an empty one needs nothing of it');
  for (const [edit, expected] of [
    [conversation.before(3), [ONE, TWO]],
    [conversation.afterPrompt(2), [ONE, 'TWO:']],
  ] as const) {
    assert.is(edit.how, 'cut');
    home.transcript(SUMMED_UP);
    apply(file, edit);
    assert.equal(sketch((await open(home)).read(1, 9)), expected);
    assert.equal(linesIn(file), SUMMED_UP.slice(0, linesIn(file).length));
  }
});

test('what a mark of another branch would hide is not cut free', async ({ home }) => {
  const at = SUMMED_UP.findIndex((line) => line.includes('"content":"TWO"') && line.includes('"parentUuid"'));
  const aside = said('ASIDE', leafAfter('ONE')).trimEnd();
  home.transcript([...SUMMED_UP.slice(0, at), aside, mark(idOf(aside)), ...SUMMED_UP.slice(at)]);
  const conversation = await open(home);
  assert.is(conversation.before(2).how, 'cut');
  assert.is(conversation.before(3).how, 'impossible');
});

test('killed between the calls of one message and its answer, all of it stands', async ({ home }) => {
  const answer = THREE.findIndex((line) => line.includes('CANNED-ANSWER 42'));
  for (const [lines, expected] of [
    [THREE.slice(0, answer + 1), ONE],
    [THREE.slice(0, answer), 'ONE: thought called called responded responded'],
    [THREE.slice(0, answer - 3), 'ONE: thought called called responded'],
    [THREE.slice(0, answer - 4), 'ONE: thought called called'],
    [[...THREE.slice(0, answer - 3), ...asideOf(THREE[answer - 4]!), ...THREE.slice(answer - 3, answer + 1)], ONE],
  ] as const) {
    home.transcript(lines);
    assert.equal(sketch((await open(home)).read(1, 9)), [expected]);
  }
});

test('what came before the first prompt is nothing to go back to', async ({ home }) => {
  const hook = { type: 'attachment', uuid: 'hook', parentUuid: null, attachment: { type: 'hook_success' } };
  const lines = THREE.map((line) => line.replace('"parentUuid":null', '"parentUuid":"hook"'));
  home.transcript([...lines.slice(0, 2), JSON.stringify(hook), ...lines.slice(2)]);
  const edit = (await open(home)).before(1);
  assert.is(edit.how === 'append' && leafOf(edit.text), null);
});

test('of what was marked before a summary nothing holds after it', async ({ home }) => {
  const at = SUMMED_UP.findIndex((line) => line.includes('compact_boundary'));
  const aside = said('ASIDE', leafAfter('ONE')).trimEnd();
  home.transcript([...SUMMED_UP.slice(0, at), aside, mark(idOf(aside)), ...SUMMED_UP.slice(at, at + 2)]);
  assert.equal(sketch((await open(home)).read(1, 9)), [ONE, TWO, `${FULL} noted`]);
});

test('a result that has ids of its own in it is the row that it is', async ({ home }) => {
  const own = `[{"uuid":"${'0'.repeat(36)}","timestamp":"x","type":"text","text":"one"}]`;
  const aside = JSON.stringify({ type: 'system', uuid: 'aside', parentUuid: null });
  const response = THREE.findIndex((line) => line.includes('"content":"Exit code 1'));
  const changed = THREE[response]!.replace(/"content":"Exit code 1[^"]*"/, `"content":${own}`);
  home.transcript([...THREE.slice(0, response), changed, aside, ...THREE.slice(response + 1)]);
  assert.equal(sketch((await open(home)).read(1, 9)), [ONE, TWO, FULL]);
});

test('after a summary the context is what claude says that it takes up', async ({ home }) => {
  const at = SUMMED_UP.findIndex((line) => line.includes('"FOUR"'));
  home.transcript(SUMMED_UP.slice(0, at));
  assert.equal((await open(home)).contextTokens(), { input: 2595, output: 0 });
  home.transcript(SUMMED_UP);
  assert.equal((await open(home)).contextTokens(), { input: 150, output: 7 });
});

test('what claude heals itself is no flaw; nobody can say what another version sends', async ({ home }) => {
  const responses = THREE.filter((line) => line.includes('"tool_result"'));
  for (const lines of [THREE, THREE.filter((line) => !responses.includes(line)), [...THREE, ...responses]]) {
    home.transcript(lines);
    const conversation = await open(home);
    for (const version of ['2.1.332', '2.1.330', '2.1.197']) assert.equal(conversation.flaws(version), []);
    for (const version of [null, '2.1.331', '2.1.33', '12.1.330', '']) assert.is(conversation.flaws(version), null);
    assert.equal(conversation.repair([]), { how: 'none' });
  }
});

test('half a last line is skipped, and ended before anything is appended', async ({ home }) => {
  const file = home.transcript(THREE);
  appendFileSync(file, mark(null, true).slice(0, -9));
  const conversation = await open(home);
  assert.is(conversation.turns, 3);
  apply(file, conversation.before(3));
  assert.equal(sketch((await open(home)).read(1, 9)), [ONE, TWO]);
});

test.run();

async function open(home: SessionHome): Promise<Conversation> {
  const session: SessionFile | null = await CLAUDE_SESSIONS.find(CLAUDE_ID, home.lookup);
  assert.ok(session);
  return CLAUDE_SESSIONS.open(session);
}

interface Row {
  uuid: string;
  type: string;
  isSidechain?: boolean;
  message: { content: unknown };
}
function user(content: string, more: object = {}): Row {
  return { type: 'user', message: { content }, uuid: `user ${content}`, ...more };
}
function assistant(text: string, more: object = {}, model = 'm'): Row {
  const message = { id: `msg ${text}`, role: 'assistant', model, content: [{ type: 'text', text }] };
  return { type: 'assistant', message, uuid: `assistant ${text}`, ...more };
}

/** The lines of a prompt and its answer. */
function said(prompt: string, parentUuid: string | null): string {
  const asked = user(prompt);
  const answer = { ...assistant('CANNED-ANSWER 42'), uuid: `answer to ${prompt}` };
  const rows = [
    { ...asked, parentUuid },
    { ...answer, parentUuid: asked.uuid },
  ];
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
function mark(leafUuid: string | null, explicit?: true): string {
  return JSON.stringify({ type: 'last-prompt', leafUuid, explicit, sessionId: CLAUDE_ID });
}
function idOf(lines: string): string {
  return JSON.parse(lines.trimEnd().split('\n').at(-1)!).uuid;
}
function leafOf(line: string): string | null {
  return JSON.parse(line).leafUuid;
}

/** The last row of this turn. */
function leafAfter(prompt: string): string {
  return leafOf(THREE.findLast((line) => line.includes(`"lastPrompt":"${prompt}"`))!)!;
}

/** What claude adds behind a response, marked as the last row. */
function asideOf(response: string): string[] {
  const row = { parentUuid: idOf(response), isSidechain: false, attachment: { type: 'x' }, type: 'attachment' };
  return [JSON.stringify({ ...row, uuid: 'aside' }), mark('aside')];
}

function linesIn(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').slice(0, -1);
}
