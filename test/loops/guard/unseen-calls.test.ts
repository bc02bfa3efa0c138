// In a batch the other tasks are looked at for many calls together: what was changed meanwhile is noted as if each were looked at alone.

import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closedBy } from '../../../loops/guard/enter-task.ts';
import { recoverFiles } from '../../../loops/guard/recover.ts';
import { openUnseenCalls, watchCall } from '../../../loops/guard/watched-call.ts';
import type { UnseenCalls } from '../../../loops/task/run-context.ts';
import { callEntries, changesOf, endCallEntry } from '../../../state/calls/judge-register.ts';
import { openJournal } from '../../../state/journal/journal.ts';
import type { TaskFolder } from '../../../state/task-folder.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import { temporaryFolder } from '../../rig/temporary-folder.ts';

interface Project {
  register: string;
  stateFolder: string;
  unseen: ReturnType<typeof openUnseenCalls>;
}

const test = suite<Project>('unseen calls');
test.before.each((context) => {
  const root = temporaryFolder('unseen-');
  const stateFolder = path.join(root, '.tmp');
  Object.assign(context, { register: path.join(root, 'user/judges'), stateFolder, unseen: openUnseenCalls() });
  for (const id of ['a', 'b', 'c']) {
    mkdirSync(path.join(stateFolder, 'task', id, 'state/attempts'), { recursive: true });
    writeFileSync(manifestOf(context, id), '{}');
  }
});

const taskOf = ({ stateFolder }: Project, id: string): TaskFolder => {
  const root = path.join(stateFolder, 'task', id);
  const [inputs, outputs, state] = ['inputs', 'outputs', 'state'].map((name) => path.join(root, name));
  const own = { inputs: inputs!, outputs: outputs!, state: state!, done: path.join(root, 'done') };
  return { id, root, manifest: null, ...own, attempts: path.join(root, 'state/attempts') };
};
const manifestOf = (project: Project, id: string) => path.join(taskOf(project, id).root, 'manifest.json');

const NOBODY = 2 ** 22 - 1;
/** What is left of a dispatcher that was killed before it looked. */
const KILLED: UnseenCalls = {
  others: openUnseenCalls().others,
  add(_, { folder }) {
    endCallEntry(folder);
    return [];
  },
};

/** A call of a task, as its dispatcher watches it. */
async function begin(project: Project, id: string, how: 'lives' | 'is_killed' = 'lives') {
  const { register, stateFolder } = project;
  const self = (await identify(process.pid))!;
  const dispatcher = how === 'lives' ? self : { ...self, pid: NOBODY };
  const ended = how === 'lives' ? project.unseen : KILLED;
  const until = new Date(Date.now() + 60_000).toISOString();
  const call = { stage: 'codex_review', call_id: `call-${id}`, dispatcher, until };
  const task = taskOf(project, id);
  const watched = watchCall({ task, stateFolder }, { register, clock: () => new Date(), ended, ...call });
  watched.begin({ files: new Map(), folders: new Map(), unkept: [] });
  return () => {
    // As its guardian has it: by that the door knows when it was over.
    const journal = openJournal(task.root, () => new Date());
    journal.append({ fact: 'budget', calls: 1, from: 'manifest' });
    assert.equal(watched.end(), []);
  };
}

/** Once the kernel's clock is past ours. */
function writeLater(file: string): void {
  const now = BigInt(Date.now() + 1) * 1_000_000n;
  do writeFileSync(file, '{"later": true}');
  while (lstatSync(file, { bigint: true }).ctimeNs <= now);
}

test('each call has its own changes; nobody has what was changed before it began or after it was over', async (project) => {
  const { register, stateFolder, unseen } = project;
  const isClosed = (id: string) => closedBy({ task: taskOf(project, id), register, stateFolder }) !== null;
  const endA = await begin(project, 'a');
  endA();
  const endB = await begin(project, 'b');
  writeLater(manifestOf(project, 'c'));
  endB();
  assert.is(isClosed('c'), true);
  writeLater(manifestOf(project, 'a'));
  assert.equal(unseen.finish(), [
    'b, codex_review: files that other tasks are judged by were changed while this call ran: c (manifest.json); a run of such a task stops and says so',
  ]);
  assert.equal(callEntries(register), []);
  const told = ['a', 'b', 'c'].map((id) =>
    changesOf(register, taskOf(project, id).root).map(({ by, files }) => [by.call_id, files]),
  );
  assert.equal(told, [[], [], [['call-b', ['manifest.json']]]]);
  assert.equal([isClosed('a'), isClosed('c')], [false, true]);
});

test('of many calls over one task each is noted that ran meanwhile', async (project) => {
  const ends = [await begin(project, 'a'), await begin(project, 'b')];
  writeLater(manifestOf(project, 'c'));
  for (const end of ends) end();
  assert.is(project.unseen.finish().length, 2);
  const calls = changesOf(project.register, taskOf(project, 'c').root).map(({ by }) => by.call_id);
  assert.equal(calls.sort(), ['call-a', 'call-b']);
});

test('a call whose entry somebody took away is known all the same to the doors of its dispatcher', async (project) => {
  const { register, stateFolder } = project;
  const end = await begin(project, 'a');
  writeLater(manifestOf(project, 'c'));
  rmSync(path.join(register, 'calls'), { recursive: true });
  assert.match(closedBy({ task: taskOf(project, 'c'), register, stateFolder }) ?? '', 'call call-a');
  end();
  assert.is(project.unseen.finish().length, 1);
  assert.equal(callEntries(register), []);
});

test('of a task that has just come, the names are read until it is whole', async ({ stateFolder }) => {
  let ms = 0;
  const { others } = openUnseenCalls(() => ms);
  for (let n = 0; n < 40; n += 1) mkdirSync(path.join(stateFolder, 'task', `t${n}`));
  others(stateFolder);
  const inputs = path.join(stateFolder, 'task/new/inputs');
  mkdirSync(path.dirname(inputs));
  const whenHalf = Object.keys(others(stateFolder).names.new!);
  mkdirSync(inputs);
  writeFileSync(path.join(inputs, 'ask.md'), 'Look.\n');
  ms += 50;
  const whenWhole = Object.keys(others(stateFolder).names.new!);
  assert.equal([whenHalf, whenWhole], [[], ['inputs']]);
});

test('of a dispatcher that was killed before it looked the next run looks, and puts nothing back', async (project) => {
  const { register, stateFolder } = project;
  const end = await begin(project, 'b', 'is_killed');
  writeLater(manifestOf(project, 'c'));
  end();
  assert.is(callEntries(register).length, 1);
  const task = taskOf(project, 'b');
  writeFileSync(manifestOf(project, 'b'), '{"by": "a person"}');
  const recovering = { task, root: path.dirname(stateFolder), register, clock: () => new Date() };
  assert.equal((await recoverFiles(recovering, 'before')).notes, []);
  const { notes, findings } = await recoverFiles(recovering, 'after');
  assert.match(notes.join(), 'were changed while this call ran: c (manifest.json)');
  assert.equal([notes.length, findings.size, callEntries(register)], [1, 0, []]);
});

test.run();
