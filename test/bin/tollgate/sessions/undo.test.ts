// tollgate undo: the last answer goes and comes back, for each CLI's own file; what forbids it; and what is paid.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../../../policies/facts/tools.ts';
import { age, SESSION_IDS, turnOf } from '../../../rig/session-files.ts';
import { makeIn, standsIn, tollgate } from '../../../rig/session-run.ts';
import { answerWith } from '../../../rig/streams.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('undo');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const TURNS = [
  { prompt: 'one', answer: 'ONE' },
  { prompt: 'two', answer: 'TWO' },
  { prompt: 'three', thought: 'hm', tool: { name: 'shell', input: { cmd: 'ls' }, output: 'a\nb' }, answer: 'THREE' },
];

for (const tool of TOOLS) {
  const id = SESSION_IDS[tool];

  test(`${tool}: the last answer goes, its prompt stays, and --redo brings back the very same bytes`, async ({
    rig,
  }) => {
    const file = makeIn(rig, tool, TURNS);
    const was = readFileSync(file, 'utf8');
    assert.is(await standsIn(rig, id), '+one=ONE +two=TWO +three=THREE');
    const undone = await tollgate(rig, ['undo', id]);
    assert.equal([undone.code, undone.err], [0, '']);
    const says = `${tool} ${id}: the answer to turn 3 ("three") is taken back; the prompt stays\n`;
    assert.is(undone.out, `${says}Bring it back: tollgate undo ${id} --redo\n`);
    assert.is(await standsIn(rig, id), '+one=ONE +two=TWO +three= -~=THREE');
    const redone = await tollgate(rig, ['undo', id, '--redo', '--json']);
    assert.equal([redone.code, redone.object().did, redone.object().reverted], [0, 'redone', 0]);
    assert.is(readFileSync(file, 'utf8'), was);
    assert.is(await standsIn(rig, id), '+one=ONE +two=TWO +three=THREE');
    assert.is((await tollgate(rig, ['undo', id, '--redo'])).code, 1);
  });

  test(`${tool}: each undo in a row goes back another turn, until no prompt has an answer`, async ({ rig }) => {
    const file = makeIn(rig, tool, TURNS);
    const was = readFileSync(file, 'utf8');
    await tollgate(rig, ['undo', id]);
    const second = await tollgate(rig, ['undo', id, '--json']);
    const says =
      'the answer to turn 2 ("two") is taken back, with the prompt after it, which has no answer; the prompt stays';
    assert.equal([second.code, second.object().reverted, second.object().says], [0, 2, says]);
    assert.is(await standsIn(rig, id), '+one=ONE +two= -~=TWO -three= -~=THREE');
    assert.is((await tollgate(rig, ['undo', id])).code, 0);
    assert.is(await standsIn(rig, id), '+one= -~=ONE -two= -~=TWO -three= -~=THREE');
    const none = await tollgate(rig, ['undo', id]);
    const why =
      'No prompt of it has an answer: there is nothing to take back. --resend sends the prompt again, and tollgate recover goes back to before it.';
    assert.equal([none.code, none.err], [1, `tollgate undo: ${why}\n`]);
    const { redo } = (await tollgate(rig, ['history', id, '--json'])).object() as unknown as Record<
      'redo',
      Record<string, unknown>[]
    >;
    assert.equal(
      redo.map(({ n, turns, takes_back, next }) => [n, turns, takes_back, next]),
      [
        [3, 2, 0, true],
        [2, 3, 0, false],
        [1, 3, 0, false],
      ],
    );
    assert.is((await tollgate(rig, ['undo', id, '--redo', '1'])).code, 0);
    assert.is(readFileSync(file, 'utf8'), was);
    assert.is(await standsIn(rig, id), '+one=ONE +two=TWO +three=THREE');
    const gone = await tollgate(rig, ['undo', id, '--redo', '2']);
    const nothing = 'There is nothing to bring back: nothing is taken back in this conversation.';
    assert.equal([gone.code, gone.err], [1, `tollgate undo: ${nothing}\n`]);
  });

  test(`${tool}: after two other prompts three redos bring the first answer back`, async ({ rig }) => {
    const file = makeIn(rig, tool, TURNS);
    const was = readFileSync(file, 'utf8');
    for (const answer of ['B', 'C']) {
      await tollgate(rig, ['recover', id, '--choose', 'rollback']);
      const count = 10 + answer.charCodeAt(0);
      const lines = turnOf(tool, { prompt: answer.toLowerCase(), answer }, count, 2);
      writeFileSync(file, `${readFileSync(file, 'utf8')}${lines.join('\n')}\n`);
      age(file);
    }
    const redo = async (...words: string[]) => {
      const told = await tollgate(rig, ['undo', id, '--redo', ...words]);
      assert.is(told.code, 0, told.err);
      return standsIn(rig, id);
    };
    assert.is(await redo('--force'), '+one=ONE +two=TWO -c=C -three=THREE +b=B');
    assert.is(await redo(), '+one=ONE +two=TWO -three=THREE -b=B +c=C');
    assert.is(await redo(), '+one=ONE +two=TWO -b=B -c=C +three=THREE');
    assert.is(readFileSync(file, 'utf8'), was);
    const gone = await tollgate(rig, ['undo', id, '--redo', '1']);
    const why = 'There is nothing to bring back under the number 1; tollgate history shows what there is: 4, 5.';
    assert.equal([gone.code, gone.err], [1, `tollgate undo: ${why}\n`]);
    assert.is(await redo('4', '--force'), '+one=ONE +two=TWO -c=C -three=THREE +b=B');
  });

  test(`${tool}: several are taken back, and brought back in turn`, async ({ rig }) => {
    const file = makeIn(rig, tool, TURNS);
    const was = readFileSync(file, 'utf8');
    for (const words of [
      ['undo', id],
      ['recover', id, '--choose', 'rollback'],
      ['undo', id],
    ])
      assert.is((await tollgate(rig, words)).code, 0);
    assert.is(await standsIn(rig, id), '+one=ONE +two= -~=TWO -three= -~=THREE');
    await tollgate(rig, ['undo', id, '--redo']);
    assert.is(await standsIn(rig, id), '+one=ONE +two=TWO -three= -~=THREE');
    await tollgate(rig, ['undo', id, '--redo']);
    assert.is(await standsIn(rig, id), '+one=ONE +two=TWO +three= -~=THREE');
    await tollgate(rig, ['undo', id, '--redo']);
    assert.is(readFileSync(file, 'utf8'), was);
  });

  test(`${tool}: another prompt takes the place of the last one, in one paid call`, async ({ rig }) => {
    makeIn(rig, tool, TURNS);
    rig.answer(() => answerWith(tool, 'ANOTHER'));
    const told = await tollgate(rig, ['undo', id, '--edit', 'three, please', '--json']);
    assert.equal([told.code, told.err], [0, '']);
    const { did, answer, reverted } = told.object();
    assert.equal([did, answer, reverted], ['replaced', 'ANOTHER', 1]);
    assert.is(rig.calls.length, 1);
    assert.ok(rig.calls[0]!.report.argv.some((word) => word.includes(id)));
    assert.match(rig.calls[0]!.report.stdin.text, /three, please/);
    assert.is(await standsIn(rig, id), '+one=ONE +two=TWO -three=THREE');
  });

  test(`${tool}: a call that cannot be started puts the prompt back`, async ({ rig }) => {
    const file = makeIn(rig, tool, TURNS);
    const was = readFileSync(file, 'utf8');
    rig.uninstall(tool);
    const told = await tollgate(rig, ['undo', id, '--resend']);
    assert.equal([told.code, told.out], [1, '']);
    assert.match(told.err, /^tollgate undo: nothing was sent: .*\(The conversation is what it was before\.\)\n$/s);
    assert.is(readFileSync(file, 'utf8'), was);
  });
}

test('a conversation that continued is not taken back without --force', async ({ rig }) => {
  const id = SESSION_IDS.copilot;
  const file = makeIn(rig, 'copilot', TURNS);
  await tollgate(rig, ['recover', id, '--choose', 'rollback']);
  const went = [
    turnOf('copilot', { prompt: 'other', answer: 'OTHER' }, 9),
    turnOf('copilot', { prompt: 'more', answer: 'MORE' }, 10),
  ];
  writeFileSync(file, `${readFileSync(file, 'utf8')}${went.flat().join('\n')}\n`);
  age(file);
  const on = readFileSync(file, 'utf8');
  const refused = await tollgate(rig, ['undo', id, '--redo']);
  const why =
    'the conversation has continued: 2 turns would be taken back for it; --force does so (nothing was changed)';
  assert.equal([refused.code, refused.err], [1, `tollgate undo: ${why}\n`]);
  assert.is(readFileSync(file, 'utf8'), on);
  assert.is((await tollgate(rig, ['undo', id, '--redo', '--force'])).code, 0);
  assert.is(await standsIn(rig, id), '+one=ONE +two=TWO -other=OTHER -more=MORE +three=THREE');
  assert.is((await tollgate(rig, ['undo', id, '--redo'])).code, 0);
  assert.is(readFileSync(file, 'utf8'), on);
  assert.is(await standsIn(rig, id), '+one=ONE +two=TWO -three=THREE +other=OTHER +more=MORE');
  // What stood first is taken back again, and can be brought back as before.
  assert.equal((await tollgate(rig, ['undo', id, '--redo'])).err, refused.err);
});

test('a backup that somebody changed is not continued from', async ({ rig }) => {
  const id = SESSION_IDS.codex;
  const file = makeIn(rig, 'codex', TURNS);
  await tollgate(rig, ['undo', id]);
  const undone = readFileSync(file, 'utf8');
  const backup = path.join(rig.home, '.local/state/tollgate/conversations', `codex.${id}`, '1.backup.jsonl');
  writeFileSync(backup, readFileSync(backup, 'utf8').replace('THREE', 'THRUE'));
  const told = await tollgate(rig, ['undo', id, '--redo']);
  assert.equal(
    [told.code, told.err],
    [1, `tollgate undo: The backup ${backup} is not what it was, and is not safe to continue from.\n`],
  );
  assert.is(readFileSync(file, 'utf8'), undone);
});

test('a dry run changes nothing', async ({ rig }) => {
  const id = SESSION_IDS.codex;
  const file = makeIn(rig, 'codex', TURNS);
  const was = readFileSync(file, 'utf8');
  for (const words of [[], ['--resend'], ['--edit', 'else']]) {
    const told = await tollgate(rig, ['undo', id, '--dry-run', ...words]);
    assert.is(told.code, 0, told.err);
    assert.match(told.out, /: nothing was changed; without --dry-run, .*taken back/);
  }
  assert.is(readFileSync(file, 'utf8'), was);
  assert.is(rig.calls.length, 0);
  assert.is(await standsIn(rig, id), '+one=ONE +two=TWO +three=THREE');
});

const MISTAKES: [words: string[], says: RegExp][] = [
  [['--resend', '--redo'], /--resend and --redo do not go together/],
  [['--force'], /--force goes with --redo alone/],
  [['--redo=0'], /--redo takes a whole number from 1, not "0"/],
  [['--redo=last'], /--redo takes a whole number from 1, not "last"/],
  [['--task', 'x'], /--task is about a call; it goes with --resend, --edit or --edit-file/],
  [['--edit', '  '], /the prompt is empty; nothing was changed and nothing sent/],
  [['--edit-file', 'nowhere.md'], /--edit-file nowhere\.md cannot be read .*; nothing was changed/],
  [['--resend', '--out=.tmp/state/answer.out'], /--out .+ is in .+\.tmp\/state, which only tollgate itself writes/],
  [['--edit', 'x', '--task', 'a b'], /--task: "a b" is not a task id/],
];
for (const [words, says] of MISTAKES)
  test(`${words.join(' ')} is a mistake that costs nothing`, async ({ rig }) => {
    const file = makeIn(rig, 'codex', TURNS);
    const was = readFileSync(file, 'utf8');
    const told = await tollgate(rig, ['undo', SESSION_IDS.codex, ...words]);
    assert.is(told.code, 2);
    assert.match(told.err, says);
    assert.equal([readFileSync(file, 'utf8'), rig.calls.length], [was, 0]);
  });

test.run();
