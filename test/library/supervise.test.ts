// Supervised tasks by the library: a question and its answer, a saved session, events, refusals, and a signal.

import { spawn } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NotedAnswer, TaskEnd } from '../../library/surface.ts';
import { play, REASONER, superviseTask } from '../rig/supervise-run.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { installLibrary, program, resultOf, resultsOf } from '../rig/user-program.ts';

const test = suite<{ rig: TestRig }>('supervised tasks by the library');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  installLibrary(context.rig);
});
test.after.each(({ rig }) => rig.dispose());

test('the reasoner asks, the answer continues the task to its end, and the events are its sentences', async ({
  rig,
}) => {
  const task = superviseTask(rig);
  play(rig, [
    { action: 'ask', question: 'Which?' },
    { action: 'done', summary: 'It is done.' },
  ]);
  const source = `import { answer, supervise } from 'tollgate';
const ends = [];
const notes = [];
for (const call of [() => supervise('fix'), () => answer('fix', 'The left one.'), () => answer('fix', 'Thanks.')]) {
  const begun = call();
  for await (const { type, text } of begun) notes.push(type + ': ' + text);
  ends.push(await begun);
}
console.log(JSON.stringify({ ends, notes }));
`;
  const { code, stdout, stderr } = await program(rig, source);
  assert.equal([code, stderr], [0, ''], stdout);
  const { ends, notes } = JSON.parse(stdout) as { ends: (TaskEnd | NotedAnswer)[]; notes: string[] };
  const [parked, done, noted] = ends;
  if (parked?.how !== 'ran' || done?.how !== 'ran' || noted?.how !== 'noted') throw new Error(stdout);
  const { supervision, state, exit_code } = parked.report;
  assert.equal([state, exit_code, supervision!.how, supervision!.question], ['parked', 1, 'parked', 'Which?']);
  assert.ok(supervision!.resume !== null);
  assert.equal([done.report.state, done.report.supervision!.summary], ['done', 'It is done.']);
  assert.is(done.report.supervision!.iteration, 2);
  assert.equal([noted.task_state, rig.calls.length], ['done', 3]);
  assert.ok(task.prompts(REASONER)[1]!.includes('The left one.'));
  assert.ok(
    notes.every((note) => note.startsWith('note: ')) && notes.includes('note: iteration 1: the reasoner asks: Which?'),
    notes.join('\n'),
  );
});

test('a saved session is continued by its id, or begun again', async ({ rig }) => {
  const task = superviseTask(rig);
  play(rig, [
    { action: 'save_session', why: 'Enough.' },
    { action: 'continue', instruction: 'Task B' },
    { action: 'save_session', why: 'Enough.' },
  ]);
  const before = `const first = await tollgate.supervise('fix');`;
  const [saved, again, anew] = await resultsOf<[TaskEnd, TaskEnd, TaskEnd]>(
    rig,
    [
      'first',
      `tollgate.supervise(first.report.stages[0].session_id, { whenTaken: 'refuse' })`,
      `tollgate.supervise('fix', { begin: 'restart' })`,
    ],
    before,
  );
  if (saved.how !== 'ran') throw new Error(saved.message);
  assert.equal([saved.report.state, saved.report.supervision!.how], ['failed', 'saved']);
  if (again.how !== 'ran') throw new Error(again.message);
  assert.equal([again.report.task_id, again.report.supervision!.instruction], ['fix', 'Task B']);
  if (anew.how !== 'ran') throw new Error(anew.message);
  assert.is(task.instructions().at(-1), 'Task A');
});

test('a mistake is a value that names it, and nothing is called', async ({ rig }) => {
  superviseTask(rig);
  makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] }, 'plain');
  const refusals: [expression: string, message: RegExp][] = [
    [`tollgate.supervise('none')`, /no supervised task of .* has a session "none", nor that name/],
    [`tollgate.supervise('plain')`, /has no supervise/],
    [`tollgate.supervise(3)`, /supervise: the task must be a text/],
    [`tollgate.supervise('fix', { begn: 'restart' })`, /supervise has no option "begn"; did you mean begin\?/],
    [`tollgate.supervise('fix', { redo: [] })`, /supervise has no option "redo"/],
    [`tollgate.supervise('fix', { movedTree: 'ok' })`, /movedTree must be one of refused, accepted/],
    [`tollgate.supervise('fix', { signal: {} })`, /signal must be an AbortSignal/],
    [`tollgate.answer('fix')`, /answer: the text must be a text/],
    [`tollgate.answer('fix', ' ')`, /there is no text in the answer/],
    [`tollgate.answer('fix', 'x', { later: 1 })`, /later must be true or false/],
    [`tollgate.answer('plain', 'x')`, /plain is not a supervised task/],
    [`tollgate.answer('none', 'x')`, /none/],
  ];
  const later = `tollgate.answer('fix', 'Later.', { later: true })`;
  const [noted, ...said] = await resultsOf<[NotedAnswer, ...{ how: string; message: string }[]]>(rig, [
    later,
    ...refusals.map(([expression]) => expression),
  ]);
  for (const [at, [expression, message]] of refusals.entries()) {
    assert.is(said[at]!.how, 'invalid', expression);
    assert.match(said[at]!.message, message, expression);
  }
  assert.equal([noted.how, noted.task_state], ['noted', 'at_rest']);
  assert.is(rig.calls.length, 0);
});

test('a program within a call answers for nobody, and accepts no changes', async ({ rig }) => {
  superviseTask(rig);
  const within = `process.env.TOLLGATE_CALL_ID = '0123456789abcdef0123456789abcdef';`;
  const acts = [
    [`tollgate.answer('fix', 'Yes.')`, 'answer for a person'],
    [`tollgate.supervise('fix', { movedTree: 'accepted' })`, 'accept a tree that has moved on'],
    [`tollgate.runTask('fix', { otherChanges: 'accepted' })`, 'accept what was changed'],
  ] as const;
  const ends = await resultsOf<{ how: string; message: string }[]>(
    rig,
    acts.map(([expression]) => expression),
    within,
  );
  for (const [at, [, act]] of acts.entries()) {
    assert.is(ends[at]!.how, 'invalid');
    assert.match(ends[at]!.message, `a call may not ${act}, and `);
  }
  assert.is(rig.calls.length, 0);
});

test('an aborted signal calls nothing, and one that aborts saves the session', async ({ rig }) => {
  superviseTask(rig);
  const never = await resultOf<TaskEnd>(rig, `tollgate.supervise('fix', { signal: AbortSignal.abort() })`);
  assert.ok(never.how === 'not_run' || (never.how === 'ran' && never.report.state === 'interrupted'), never.how);
  assert.is(rig.calls.length, 0);
  const source = `import { supervise } from 'tollgate';
const gone = new AbortController();
process.stdin.once('end', () => gone.abort()).resume();
console.log(JSON.stringify(await supervise('fix', { signal: gone.signal })));
`;
  const child = spawn(process.execPath, [rig.write('program.mjs', source)], { cwd: rig.project, env: rig.env });
  let out = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  const closed = new Promise((resolve) => child.on('close', resolve));
  const call = await Promise.race([
    rig.call(),
    closed.then(() => Promise.reject(new Error(`it ended uncalled: ${out}`))),
  ]);
  child.stdin.end();
  await Promise.all([closed, call.gone]);
  const end = JSON.parse(out) as TaskEnd & { how: 'ran' };
  assert.equal([end.how, end.report.state, end.report.supervision!.how], ['ran', 'interrupted', 'interrupted']);
  assert.equal(rig.survivors(), []);
});

test.run();
