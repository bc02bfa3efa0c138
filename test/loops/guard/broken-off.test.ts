// Putting back that was cut short, and a task that others work on meanwhile: what was kept is never lost, and never goes without a word.

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keepFiles, saveKept } from '../../../loops/guard/kept-files.ts';
import { recoverFiles } from '../../../loops/guard/recover.ts';
import { callEntries, openCallFolder, writeCallEntry } from '../../../state/calls/judge-register.ts';
import type { TaskFolder } from '../../../state/task-folder.ts';
import { identify } from '../../../wrappers/processes/identity.ts';

interface Left {
  root: string;
  task: TaskFolder;
  register: string;
  /** The call's folder in the register. */
  entry: string;
  attempt: string;
}

const test = suite<Left>('broken off');
test.before.each((context) => {
  const root = mkdtempSync(path.join(tmpdir(), 'broken-'));
  const at = path.join(root, '.tmp/task/fix');
  const state = path.join(at, 'state');
  const task = {
    id: 'fix',
    root: at,
    manifest: null,
    inputs: path.join(at, 'inputs'),
    outputs: path.join(at, 'outputs'),
    state,
    done: path.join(state, 'done'),
    attempts: path.join(state, 'attempts'),
  };
  const attempt = path.join(task.attempts, 'C1');
  for (const folder of [task.inputs, task.outputs, task.done, attempt]) mkdirSync(folder, { recursive: true });
  const register = path.join(root, 'judges');
  Object.assign(context, { root, task, register, attempt, entry: openCallFolder(register, 'C1') });
});
test.after.each(({ root }) => rmSync(root, { recursive: true }));

const ORIGINAL = 'original '.repeat(100);
const notesOf = ({ task }: Left) => path.join(task.inputs, 'notes.md');

/** A call that nobody waits for any more. @param over when it was over at the latest, from now. */
async function leave(left: Left, over: number): Promise<void> {
  const { root, task, entry } = left;
  const names = ['notes.md', 'other.md'].map((name) => path.join(task.inputs, name));
  for (const file of names) writeFileSync(file, ORIGINAL);
  const grounds = [root, path.dirname(task.root)];
  saveKept(entry, keepFiles({ files: names, folders: [task.inputs], grounds, copies: () => entry }));
  const about = {
    task: task.root,
    task_id: 'fix',
    stage: 'review',
    call_id: 'C1',
    dispatcher: { ...(await identify(process.pid))!, start_time: '1' },
    until: new Date(Date.now() + over).toISOString(),
    state_folder: path.join(root, '.tmp'),
  };
  writeCallEntry(entry, about, { tasks: ['fix'] });
}

const OVER = -60_000;
const RUNNING = 60_000;

const recover = async (left: Left) => {
  const { task, root, register } = left;
  const both = { notes: [] as string[], findings: 0 };
  for (const when of ['before', 'after'] as const) {
    const { notes, findings } = await recoverFiles({ task, root, register, clock: () => new Date() }, when);
    both.notes.push(...notes);
    both.findings += findings.size;
  }
  return both;
};

test('a run that was killed between moving away and putting back: the next one puts it back', async (left) => {
  await leave(left, OVER);
  const aside = path.join(left.attempt, 'changed-by-agent');
  mkdirSync(aside);
  writeFileSync(notesOf(left), 'EVIL');
  renameSync(notesOf(left), path.join(aside, 'notes.md'));
  const { notes, findings } = await recover(left);
  assert.equal([readFileSync(notesOf(left), 'utf8'), findings, notes.length], [ORIGINAL, 1, 1]);
  assert.match(notes[0]!, /inputs\/notes\.md \(deleted; put back\)/);
  assert.is(existsSync(left.entry), false);
});

const limitFiles = (bytes: string) =>
  execFileSync('prlimit', ['--pid', `${process.pid}`, `--fsize=${bytes}:unlimited`]);

test('no half of a file is put back where the disk is full, and the next run does it', async (left) => {
  await leave(left, RUNNING);
  writeFileSync(notesOf(left), 'EVIL');
  limitFiles('100');
  const failed = await recover(left).then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code,
  );
  limitFiles('unlimited');
  assert.is(failed, 'EFBIG');
  assert.equal(
    [readFileSync(notesOf(left), 'utf8'), readdirSync(left.task.inputs).sort(), existsSync(left.entry)],
    ['EVIL', ['notes.md', 'other.md'], true],
  );
  assert.is((await recover(left)).findings, 1);
  assert.equal([readFileSync(notesOf(left), 'utf8'), existsSync(left.entry)], [ORIGINAL, false]);
  assert.is(readFileSync(path.join(left.attempt, 'changed-by-agent/notes.md'), 'utf8'), 'EVIL');
});

test('what a writer that was killed left beside its place does not become an input', async (left) => {
  await leave(left, OVER);
  writeFileSync(path.join(left.task.inputs, '.notes.md.4711-1'), 'orig');
  await recover(left);
  assert.equal(readdirSync(left.task.inputs).sort(), ['notes.md', 'other.md']);
});

test('a file that the agent deleted comes back, though a person has added another since', async (left) => {
  await leave(left, OVER);
  rmSync(notesOf(left));
  writeFileSync(path.join(left.task.inputs, 'mine.md'), 'mine');
  const { notes, findings } = await recover(left);
  assert.equal([readFileSync(notesOf(left), 'utf8'), findings, notes.length], [ORIGINAL, 1, 1]);
  assert.is(readFileSync(path.join(left.task.inputs, 'mine.md'), 'utf8'), 'mine');
});

test("what is left as a person's is named, and how it was stays to be read", async (left) => {
  await leave(left, OVER);
  for (const name of ['notes.md', 'other.md']) writeFileSync(path.join(left.task.inputs, name), `my ${name}`);
  const { notes, findings } = await recover(left);
  const kept = path.join(left.attempt, 'kept');
  assert.equal([findings, notes.length, existsSync(left.entry)], [0, 1, false]);
  assert.ok(notes[0]!.includes(`inputs/notes.md (as it was: ${path.join(kept, 'notes.md')})`), notes[0]);
  for (const name of ['notes.md', 'other.md'])
    assert.equal(
      [readFileSync(path.join(left.task.inputs, name), 'utf8'), readFileSync(path.join(kept, name), 'utf8')],
      [`my ${name}`, ORIGINAL],
    );
});

test('where that cannot be written, the register keeps it, and is named', async (left) => {
  await leave(left, OVER);
  writeFileSync(notesOf(left), 'mine');
  limitFiles('100');
  const { notes } = await recover(left).finally(() => limitFiles('unlimited'));
  assert.ok(notes.at(-1)!.includes(`stays in ${left.entry}`), notes.at(-1));
  assert.is(callEntries(left.register).length, 1);
  await recover(left);
  assert.is(readFileSync(path.join(left.attempt, 'kept/notes.md'), 'utf8'), ORIGINAL);
  assert.is(existsSync(left.entry), false);
});

test('copies whose index cannot be read are moved, not deleted', async (left) => {
  await leave(left, OVER);
  writeFileSync(path.join(left.entry, 'kept.json'), '{');
  const { notes } = await recover(left);
  const kept = path.join(left.attempt, 'kept');
  assert.ok(notes.at(-1)!.includes(kept), notes.at(-1));
  assert.is(readFileSync(path.join(kept, 'pack'), 'utf8'), ORIGINAL.repeat(2));
  assert.is(existsSync(left.entry), false);
});

test.run();
