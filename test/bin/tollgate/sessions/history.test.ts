// tollgate history: what is shown of a conversation, for people and for machines, and what is refused.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BuiltIn, TOOLS } from '../../../../policies/facts/tools.ts';
import { composeText } from '../../../../policies/prompt/compose-text.ts';
import type { SessionEntry } from '../../../../policies/session/session-entry.ts';
import { REDACTOR, sourceOf } from '../../../policies/prompt/source.ts';
import { validatorOf } from '../../../rig/schemas/validator.ts';
import { age, SESSION_IDS } from '../../../rig/session-files.ts';
import { makeIn, tollgate } from '../../../rig/session-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';
import { where } from '../../../rig/where-possible.ts';

const test = suite<{ rig: TestRig }>('history');
const asUser = where('user', test);
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const TURNS = [
  {
    prompt: 'look\nat it',
    thought: 'hm',
    tool: { name: 'shell', input: { cmd: 'ls' }, output: 'a\nb' },
    answer: 'It is\nfine.',
  },
  { prompt: 'two', answer: 'TWO' },
  { prompt: 'three', answer: 'THREE' },
];

for (const tool of TOOLS) {
  const id = SESSION_IDS[tool];

  test(`${tool}: a page for people, what was taken back in its place`, async ({ rig }) => {
    const file = makeIn(rig, tool, TURNS);
    await tollgate(rig, ['recover', id, '--choose', 'rollback']);
    await tollgate(rig, ['undo', id]);
    const told = await tollgate(rig, ['history', id]);
    assert.equal([told.code, told.err], [0, '']);
    const plan = tool === 'gemini' ? 'Plan: hm' : 'hm';
    const input = '{"cmd":"ls"}';
    assert.is(
      told.out.replace(/,(?: taken back)? \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, ''),
      [
        `${tool} ${id}: 2 turns and 2 reverted`,
        file,
        '',
        'Turn 1, 11 tokens in, 7 out',
        '> look',
        '> at it',
        `  ${plan}`,
        `  -> shell ${input}`,
        '  <- a',
        '     b',
        'It is',
        'fine.',
        '',
        'Turn 2',
        '> two',
        '',
        '[ REVERTED ] Turn 2, its answer',
        '[ REVERTED ] TWO',
        '',
        '[ REVERTED ] Turn 3, 11 tokens in, 7 out',
        '[ REVERTED ] > three',
        '[ REVERTED ] THREE',
        '',
        `Can be brought back with tollgate undo ${id} --redo N:`,
        '  2 (the next): 2 turns; the last: two',
        '  1: 3 turns; the last: three',
        '',
      ].join('\n'),
    );
  });

  test(`${tool}: an object for machines`, async ({ rig }) => {
    const file = makeIn(rig, tool, TURNS);
    const told = await tollgate(rig, ['history', id.slice(0, 8), '--last', '2', '--json']);
    const { turns, ...rest } = told.object();
    assert.equal(
      [rest.schema, rest.tool, rest.session_id, rest.file, rest.turns_active, rest.turns_reverted, rest.notes],
      [1, tool, id, file, 3, 0, []],
    );
    assert.equal(
      turns.map(({ number, state, part, prompt, items }) => [number, state, part, prompt, items]),
      [
        [2, 'active', 'whole', 'two', [{ how: 'said', text: 'TWO' }]],
        [3, 'active', 'whole', 'three', [{ how: 'said', text: 'THREE' }]],
      ],
    );
  });

  test(`${tool}: a store that is a link, or a session that is one, a FIFO or no session at all, is named and left alone`, async ({
    rig,
  }) => {
    const file = makeIn(rig, tool, TURNS);
    const text = readFileSync(file, 'utf8');
    const place = path.join(rig.root, 'elsewhere.jsonl');
    renameSync(file, place);
    symlinkSync(place, file);
    const linked = await tollgate(rig, ['undo', id]);
    assert.is(linked.code, 2, linked.err);
    assert.is(readFileSync(place, 'utf8'), text);
    rmSync(file);
    writeFileSync(file, 'no session\n');
    age(file);
    const foreign = await tollgate(rig, ['history', id]);
    assert.equal([foreign.code, foreign.out], [2, '']);
    assert.match(foreign.err, /^tollgate history: /);
    assert.is(readFileSync(file, 'utf8'), 'no session\n');
  });
}

test('secrets are left out, and nothing reaches the terminal that it would obey', async ({ rig }) => {
  const secret = 'hunter2-hunter2-hunter2';
  makeIn(rig, 'codex', [
    {
      prompt: `use ${secret}`,
      tool: { name: 'shell', input: { cmd: secret }, output: `${secret}\u001b[2J` },
      answer: `\u001b]0;x\u0007${secret}`,
    },
  ]);
  for (const words of [[], ['--json']]) {
    const { code, out } = await tollgate(rig, ['history', SESSION_IDS.codex, ...words], { MY_API_TOKEN: secret });
    assert.is(code, 0);
    assert.not.match(out, secret);
    assert.is(out.match(/\[REDACTED:/g)?.length, 4);
    assert.not.match(out, /[\u0007\u001b]/);
  }
});

test('what looks like the two ends of a key in two turns takes no turn between them away', async ({ rig }) => {
  makeIn(rig, 'codex', [
    { prompt: 'What does -----BEGIN PRIVATE KEY----- mean?', answer: 'A key begins.' },
    { prompt: 'in between', answer: 'yes' },
    { prompt: 'And -----END PRIVATE KEY-----?', answer: 'It ends.' },
  ]);
  const { out } = await tollgate(rig, ['history', SESSION_IDS.codex, '--json']);
  const { turns } = JSON.parse(out) as { turns: { prompt: string }[] };
  assert.equal([turns.length, turns[1]!.prompt], [3, 'in between']);
});

test('of a long prompt the first lines are shown, with --full all of it', async ({ rig }) => {
  const prompt = Array.from({ length: 40 }, (_, n) => `line ${n + 1}`).join('\n');
  makeIn(rig, 'codex', [{ prompt, answer: 'fine' }]);
  const begun = await tollgate(rig, ['history', SESSION_IDS.codex]);
  assert.match(begun.out, '> line 15\n  (25 more lines; --full shows them)\nfine\n');
  const full = await tollgate(rig, ['history', SESSION_IDS.codex, '--full']);
  assert.match(full.out, '> line 40\nfine\n');
});

test('the rules before the goal of a composed prompt are one line, with --full all of them', async ({ rig }) => {
  const prompt = composeText(sourceOf({ goal: 'Find it.' }), 'off', REDACTOR, 400_000).text;
  makeIn(rig, 'codex', [{ prompt, answer: 'fine' }]);
  const folded = await tollgate(rig, ['history', SESSION_IDS.codex]);
  assert.match(
    folded.out,
    /\n {2}\(rules and instructions for the role brief: \d+ lines; --full shows them\)\n> # Goal\n> \n> Find it\.\n/,
  );
  assert.not.match(folded.out, 'You run headless');
  const full = await tollgate(rig, ['history', SESSION_IDS.codex, '--full']);
  assert.match(full.out, '> You run headless');
});

test('a tag of this project names a session, and --tool one of several', async ({ rig }) => {
  const entry = (tool: BuiltIn): SessionEntry => ({
    session_id: SESSION_IDS[tool],
    last_used: '2026-11-21T20:00:00.000Z',
    error_count: 0,
    total_tokens: 0,
    context_tokens: null,
    feature_id: 'login',
    cwd: rig.project,
  });
  const tagged = {
    login: { codex: entry('codex'), copilot: entry('copilot') },
    gone: { gemini: entry('gemini') },
  };
  rig.write('.tmp/state/sessions.json', JSON.stringify({ active_sessions: tagged }));
  for (const tool of ['codex', 'copilot'] as const) makeIn(rig, tool, TURNS);
  const both = await tollgate(rig, ['history', 'login']);
  const rows = `copilot ${SESSION_IDS.copilot}, codex ${SESSION_IDS.codex}`;
  assert.equal(
    [both.code, both.err],
    [2, `tollgate history: "login" fits 2 sessions: ${rows}; give the full id, or --tool\n`],
  );
  const one = await tollgate(rig, ['history', 'login', '--tool', 'codex', '--json']);
  assert.is(one.object().session_id, SESSION_IDS.codex);
  const gone = await tollgate(rig, ['history', 'gone']);
  const why = `the tag gone names the gemini session ${SESSION_IDS.gemini}, but gemini has no file of it (any more)`;
  assert.equal([gone.code, gone.err], [2, `tollgate history: ${why}\n`]);
});

for (const tool of TOOLS)
  test(`${tool}: what it prints for machines is what the schema says, for what was taken back too`, async ({ rig }) => {
    const id = SESSION_IDS[tool];
    const called = { name: 'shell', input: { cmd: 'ls' }, output: 'a' };
    makeIn(rig, tool, [...TURNS, { prompt: 'more', thought: 'hm', tool: called, answer: 'MORE' }]);
    assert.is((await tollgate(rig, ['undo', id])).code, 0);
    const object = (await tollgate(rig, ['history', id, '--all', '--json'])).object();
    assert.equal([...new Set(object.turns.map(({ part }) => part))], ['whole', 'rest']);
    assert.ok(HISTORY(object), JSON.stringify(HISTORY.errors));
  });

const HISTORY = validatorOf('HISTORY_SCHEMA');

for (const tool of TOOLS)
  test(`${tool}: a session behind a link in its store is not found, and the link is named`, async ({ rig }) => {
    const file = makeIn(rig, tool, TURNS);
    const folder = path.dirname(file);
    const away = path.join(rig.root, 'away');
    renameSync(folder, away);
    symlinkSync(away, folder);
    const told = await tollgate(rig, ['history', SESSION_IDS[tool]]);
    assert.is(told.code, 2);
    assert.ok(told.err.endsWith(`; symbolic links are not looked into: ${folder}\n`), told.err);
  });

test('an unknown session is told where it was looked for', async ({ rig }) => {
  for (const word of ['deadbeef', 'constructor', SESSION_IDS.codex, '../../etc']) {
    const { code, err } = await tollgate(rig, ['history', word]);
    assert.is(code, 2);
    assert.match(
      err,
      `no session "${word}" was found: it is neither a tag in this project's sessions.json nor an id in the stores of gemini, copilot, codex`,
    );
  }
  makeIn(rig, 'codex', TURNS);
  makeIn(rig, 'codex', TURNS, SESSION_IDS.codex.replace(/4$/, '5'));
  const { code, err } = await tollgate(rig, ['history', SESSION_IDS.codex.slice(0, 8)]);
  assert.is(code, 2);
  assert.match(err, /"01a1ffb7" fits 2 sessions: codex /);
});

asUser('a session that nobody lets us read', async ({ rig }) => {
  chmodSync(makeIn(rig, 'codex', TURNS), 0o000);
  assert.is((await tollgate(rig, ['history', SESSION_IDS.codex])).code, 2);
});

test('a ledger that somebody planted, or a newer version wrote, is told and not followed', async ({ rig }) => {
  makeIn(rig, 'codex', TURNS);
  const folder = path.join(rig.home, '.local/state/tollgate/conversations', `codex.${SESSION_IDS.codex}`);
  mkdirSync(folder, { recursive: true });
  const ledger = path.join(folder, 'edits.jsonl');
  writeFileSync(ledger, '{"schema":2,"state":"planned","n":1}\n');
  const newer = await tollgate(rig, ['history', SESSION_IDS.codex]);
  assert.match(newer.out, `note: a newer version wrote ${ledger}; update tollgate`);
  assert.is((await tollgate(rig, ['undo', SESSION_IDS.codex])).code, 1);
  rmSync(ledger);
  symlinkSync(path.join(rig.root, 'nowhere'), ledger);
  assert.match(
    (await tollgate(rig, ['history', SESSION_IDS.codex])).out,
    `note: ${ledger} is a symbolic link, and no regular file; put it elsewhere`,
  );
});

/** macOS has another script(1), with other flags. */
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;

(hasTerminal ? test : test.skip)('on a terminal it has local times and paths, and breaks no word', ({ rig }) => {
  const answer = 'Each of the forty words is whole '.repeat(6).trim();
  makeIn(rig, 'gemini', [{ prompt: 'look', answer }]);
  const command = `stty cols 60; '${process.execPath}' '${path.resolve('dist/tollgate.cjs')}' history ${SESSION_IDS.gemini}`;
  const { stdout } = spawnSync('script', ['-qefc', command, '/dev/null'], {
    cwd: rig.project,
    env: { ...rig.env, TERM: 'xterm', NO_COLOR: '1', SHELL: '/bin/sh' },
    encoding: 'utf8',
    input: '',
  });
  const lines = stdout.split('\r\n');
  assert.match(lines[1]!, /^~\/\.gemini\//);
  assert.match(lines[3]!, /^Turn 1, (?:\d{4}-\d\d-\d\d )?\d\d:\d\d \(.+\), 11 tokens in, 7 out$/);
  assert.is(lines.slice(5).join(' ').trim(), answer);
  assert.equal(
    lines.slice(3).filter((line) => line.length > 60),
    [],
  );
});

test.run();
