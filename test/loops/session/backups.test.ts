// The byte copies of conversations: all are found, and those that are too old go, wherever they lie.

import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allBackups, dropAged } from '../../../loops/session/backups.ts';
import { editsLedger, makeLedger, planEdit, readEdits, settleEdit } from '../../../state/sessions/edits-ledger.ts';

const test = suite<{ environment: NodeJS.ProcessEnv }>('backups');
test.before.each((context) => {
  context.environment = { HOME: mkdtempSync(path.join(tmpdir(), 'backups-')) };
});
test.after.each(({ environment }) => rmSync(environment.HOME!, { recursive: true, force: true }));

const NOW = new Date('2026-11-22T12:00:00Z');
const OLD = '2026-08-01T12:00:00.000Z';
const YOUNG = '2026-11-20T12:00:00.000Z';

/** A session with one backup. @returns its ledger, and the backup's file. */
function edited(environment: NodeJS.ProcessEnv, id: string, at: string, noted: 'noted' | 'cut off' = 'noted') {
  const ledger = editsLedger('codex', id, environment)!;
  assert.is(makeLedger(ledger), null);
  const file = path.join(ledger.folder, '1.backup.jsonl');
  writeFileSync(file, 'what was said');
  const version = { bytes: 13, sha256: 'a' };
  if (noted === 'noted') {
    const kept = { turns: 2, kept_turns: 1, kept_items: null, reverted_turns: 1 };
    const entry = { n: 1, at, tool: 'codex', session_id: id, file: '/x.jsonl', what: 'undone' } as const;
    planEdit(ledger, { ...entry, ...kept, before: version, after: version, backup: '1.backup.jsonl' });
    settleEdit(ledger, 1, 'made', new Date(at));
  }
  const then = Date.parse(at) / 1000;
  for (const each of [file, ledger.file]) if (existsSync(each)) utimesSync(each, then, then);
  return { ledger, file };
}

test('each with its age and size, the newest first, also of an edit that was never written down', ({ environment }) => {
  const old = edited(environment, 'aaaa', OLD);
  const cut = edited(environment, 'bbbb', YOUNG, 'cut off');
  mkdirSync(path.join(path.dirname(old.ledger.folder), 'nobody.cccc'));
  assert.equal(
    allBackups(environment).map(({ session_id, what, at, goes_at, bytes, file }) => [
      ...[session_id, what, at, goes_at.slice(0, 10), bytes, file],
    ]),
    [
      ['bbbb', null, YOUNG, '2027-02-18', 13, cut.file],
      ['aaaa', 'undone', OLD, '2026-10-30', 13, old.file],
    ],
  );
  assert.equal(allBackups({}), []);
});

test('those of more than 90 days go, and their ledger says so', ({ environment }) => {
  const [old, cut] = [edited(environment, 'aaaa', OLD), edited(environment, 'bbbb', OLD, 'cut off')];
  const young = edited(environment, 'cccc', YOUNG);
  assert.equal(dropAged(environment, NOW, 'everywhere').sort(), [old.file, cut.file]);
  assert.equal(
    [old, cut, young].map(({ file }) => existsSync(file)),
    [false, false, true],
  );
  const read = readEdits(old.ledger);
  assert.equal(read.how === 'read' && read.edits.map(({ isKept }) => isKept), [false]);
});

test('on the way only those of sessions that nothing was done to are looked for', ({ environment }) => {
  const { ledger, file } = edited(environment, 'aaaa', OLD);
  utimesSync(ledger.file, NOW, NOW);
  assert.equal(dropAged(environment, NOW, 'rested'), []);
  const then = Date.parse(OLD) / 1000;
  utimesSync(ledger.file, then, then);
  assert.equal(dropAged(environment, NOW, 'rested'), [file]);
});

test('a clock that stands a year ahead deletes nothing unasked', ({ environment }) => {
  const files = [edited(environment, 'aaaa', YOUNG), edited(environment, 'bbbb', YOUNG, 'cut off')].map(
    ({ file }) => file,
  );
  const ahead = new Date(NOW.getTime() + 366 * 86_400_000);
  assert.equal(dropAged(environment, ahead, 'rested'), []);
  assert.ok(files.every((file) => existsSync(file)));
  assert.equal(dropAged(environment, ahead, 'everywhere').sort(), files);
});

test('what a newer version wrote down stays', ({ environment }) => {
  const { ledger, file } = edited(environment, 'aaaa', OLD);
  writeFileSync(ledger.file, '{"schema":99,"state":"planned"}\n');
  assert.equal(dropAged(environment, NOW, 'everywhere'), []);
  assert.ok(existsSync(file));
});

test.run();
