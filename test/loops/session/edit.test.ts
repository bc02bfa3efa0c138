// The door through which session files are changed: what it keeps, what it refuses, and what a crash or a full disk leaves.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { editSession } from '../../../loops/session/edit.ts';
import type { foldEdits } from '../../../policies/session/session-edits.ts';
import { editsLedger, readEdits } from '../../../state/sessions/edits-ledger.ts';
import type { Conversation, Edit } from '../../../wrappers/sessions/store.ts';
import { where } from '../../rig/where-possible.ts';

const test = suite<{ root: string; environment: NodeJS.ProcessEnv; file: string }>('edit of a session file');
const asUser = where('user', test);
test.before.each((context) => {
  context.root = mkdtempSync(path.join(tmpdir(), 'conversation-'));
  context.environment = { HOME: path.join(context.root, 'home') };
  mkdirSync(context.environment.HOME!);
  context.file = path.join(context.root, 'rollout.jsonl');
  writeFileSync(context.file, WAS, { mode: 0o640 });
});
test.after.each(({ root }) => rmSync(root, { recursive: true, force: true }));

const WAS = '{"prompt":"one"}\n{"answer":1}\n{"prompt":"two"}\n{"answer":2}\n';
const CUT = WAS.slice(0, WAS.indexOf('{"answer":2}'));

/** A conversation of two turns, as far as the door looks at one. */
function conversationIn(file: string): Conversation {
  const { size, mtimeMs } = statSync(file);
  const session = {
    tool: 'codex',
    id: ID,
    file,
    cwd: null,
    cliVersion: null,
    bytes: size,
    changedAtMs: mtimeMs,
  } as const;
  return { session, turns: 2 } as Conversation;
}

const ID = '01a1ffb7-d15d-75e0-9cd1-00c74850c544';
const EDITS: [how: string, edit: Edit, becomes: string][] = [
  ['append', { how: 'append', text: '{"back":1}\n' }, `${WAS}{"back":1}\n`],
  ['cut', { how: 'cut', atByte: CUT.length }, CUT],
  ['replace', { how: 'replace', text: '{}' }, '{}'],
];

const clock = () => new Date('2026-11-22T12:00:00Z');
const edit = (
  context: { environment: NodeJS.ProcessEnv; file: string },
  edit: Edit,
  conversation = conversationIn(context.file),
) =>
  editSession({
    conversation,
    edit,
    what: 'undone',
    keeps: { turns: 1, items: 0 },
    environment: context.environment,
    clock,
    holder: { task: 'fix' },
  });
const ledgerOf = (environment: NodeJS.ProcessEnv) => editsLedger('codex', ID, environment)!;
const editsIn = (environment: NodeJS.ProcessEnv) => {
  const read = readEdits(ledgerOf(environment));
  return read.how === 'read' ? read.edits : read.why;
};

for (const [how, change, becomes] of EDITS)
  test(`${how}: the file is the new one, of its old mode, and the old one is in the backup`, async (context) => {
    const edited = await edit(context, change);
    assert.is(edited.how, 'edited');
    assert.is(readFileSync(context.file, 'utf8'), becomes);
    assert.is(statSync(context.file).mode & 0o777, 0o640);
    assert.equal(readdirSync(context.root).sort(), ['home', 'rollout.jsonl']);
    const { folder } = ledgerOf(context.environment);
    assert.is(readFileSync(path.join(folder, '1.backup.jsonl'), 'utf8'), WAS);
    const modes = [folder, `${folder}/1.backup.jsonl`, `${folder}/edits.jsonl`].map(
      (place) => statSync(place).mode & 0o777,
    );
    assert.equal(modes, [0o700, 0o600, 0o600]);
    const [entry] = editsIn(context.environment) as ReturnType<typeof foldEdits>;
    assert.equal(
      [
        entry!.state,
        entry!.what,
        entry!.before.bytes,
        entry!.after.bytes,
        entry!.reverted_turns,
        entry!.kept_items,
        entry!.task,
      ],
      ['made', 'undone', WAS.length, becomes.length, 1, 0, 'fix'],
    );
  });

test('what is appended begins on a line of its own where a writer was cut off', async (context) => {
  writeFileSync(context.file, `${WAS}{"half`);
  await edit(context, { how: 'append', text: '{"back":1}\n' });
  assert.is(readFileSync(context.file, 'utf8'), `${WAS}{"half\n{"back":1}\n`);
});

test('nothing to change, and what cannot be done', async (context) => {
  assert.equal(await edit(context, { how: 'none' }), { how: 'unchanged' });
  const why = 'it has one turn; begin a new session.';
  assert.equal(await edit(context, { how: 'impossible', why }), { how: 'refused', why });
  assert.is(readFileSync(context.file, 'utf8'), WAS);
  assert.equal(editsIn(context.environment), []);
});

test('a file that somebody wrote since is left alone', async (context) => {
  const conversation = conversationIn(context.file);
  writeFileSync(context.file, `${WAS}{"prompt":"three"}\n`);
  const why = `${context.file} was changed since it was read; nothing was changed`;
  assert.equal(await edit(context, EDITS[1]![1], conversation), { how: 'refused', why });
  writeFileSync(context.file, WAS.replace('1', '9'));
  utimesSync(context.file, 1, 1);
  assert.equal(await edit(context, EDITS[1]![1], conversation), { how: 'refused', why });
  assert.is(readFileSync(context.file, 'utf8'), WAS.replace('1', '9'));
});

test('a link in the place of the file, of the ledger or of its folder is not followed', async (context) => {
  const { root, environment, file } = context;
  const elsewhere = path.join(root, 'elsewhere');
  writeFileSync(elsewhere, WAS);
  const link = path.join(root, 'link.jsonl');
  symlinkSync(elsewhere, link);
  const linked = await edit(context, EDITS[0]![1], conversationIn(link));
  assert.equal(linked, { how: 'refused', why: `${link} is not a regular file (any more); nothing was changed` });
  const ledger = ledgerOf(environment);
  mkdirSync(ledger.folder, { recursive: true });
  symlinkSync(elsewhere, ledger.file);
  const planted = await edit(context, EDITS[0]![1]);
  assert.equal(planted, {
    how: 'refused',
    why: `${ledger.file} is a symbolic link, and no regular file; put it elsewhere; nothing was changed`,
  });
  rmSync(ledger.folder, { recursive: true });
  mkdirSync(path.join(root, 'outside'));
  symlinkSync(path.join(root, 'outside'), ledger.folder);
  const astray = await edit(context, EDITS[0]![1]);
  assert.match(astray.how === 'refused' ? astray.why : '', /is a symbolic link that leads out of/);
  assert.equal([readFileSync(elsewhere, 'utf8'), readFileSync(file, 'utf8')], [WAS, WAS]);
  assert.equal(readdirSync(path.join(root, 'outside')), []);
});

test('a link in the place of the backup is replaced, and one beside the file too', async (context) => {
  const { root, environment, file } = context;
  const elsewhere = path.join(root, 'elsewhere');
  writeFileSync(elsewhere, 'mine');
  const { folder } = ledgerOf(environment);
  mkdirSync(folder, { recursive: true });
  symlinkSync(elsewhere, path.join(folder, '1.backup.jsonl'));
  symlinkSync(elsewhere, path.join(root, '.rollout.jsonl.tollgate-new'));
  assert.is((await edit(context, EDITS[1]![1])).how, 'edited');
  assert.is(readFileSync(elsewhere, 'utf8'), 'mine');
  assert.ok(lstatSync(path.join(folder, '1.backup.jsonl')).isFile());
  assert.ok(lstatSync(file).isFile());
});

test('without a home where a backup could be kept nothing is changed', async ({ file, root }) => {
  const refused = await edit({ environment: { HOME: path.join(root, 'nowhere') }, file }, EDITS[1]![1]);
  assert.match(refused.how === 'refused' ? refused.why : '', /set HOME or XDG_STATE_HOME .*; nothing was changed$/);
  assert.is(readFileSync(file, 'utf8'), WAS);
});

asUser('a folder that cannot be written costs nothing', async (context) => {
  chmodSync(context.root, 0o500);
  const refused = await edit(context, EDITS[1]![1]);
  chmodSync(context.root, 0o700);
  assert.is(refused.how, 'refused');
  assert.is(readFileSync(context.file, 'utf8'), WAS);
  assert.equal(readdirSync(ledgerOf(context.environment).folder), ['edits.jsonl']);
});

test('the newest 20 backups are kept, and a line says which are gone', async (context) => {
  for (let i = 0; i < 22; i += 1) await edit(context, { how: 'append', text: `{"back":${i}}\n` });
  const { folder } = ledgerOf(context.environment);
  assert.is(readdirSync(folder).length, 21);
  assert.not.ok(existsSync(path.join(folder, '2.backup.jsonl')));
  const edits = editsIn(context.environment) as ReturnType<typeof foldEdits>;
  assert.equal(
    edits.map(({ isKept }) => isKept),
    edits.map(({ n }) => n > 2),
  );
});

test.run();
