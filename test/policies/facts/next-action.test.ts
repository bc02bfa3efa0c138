// The value of a next action: its line, its order, what older files hold, and the command as the task was opened.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  actionLine,
  type CalledAs,
  forUser,
  goOnLine,
  inOrder,
  mapAction,
  type NextAction,
  personLine,
  personSteps,
  preflightLine,
  readActions,
  taskLine,
  toDecide,
  toDo,
  toType,
} from '../../../policies/facts/next-action.ts';

const PLAIN: CalledAs = { launcher: 'tollgate', verb: 'run', word: 'q1', trusts: false };

const ROWS: [what: string, called: Partial<CalledAs>, flags: string[], line: string][] = [
  ['an id', {}, [], 'tollgate run q1'],
  ['a path', { word: './jobs/q1' }, [], 'tollgate run ./jobs/q1'],
  ['a path with a space', { word: './my jobs/q1' }, ['--redo a'], "tollgate run './my jobs/q1' --redo a"],
  ['a path with a quote', { word: "./it's/q1" }, [], String.raw`tollgate run './it'\''s/q1'`],
  ['flags', { flags: ['--fail-on-verdict'] }, ['--redo a'], 'tollgate run q1 --fail-on-verdict --redo a'],
  ['flags of a supervision', { verb: 'supervise', flags: ['--fail-on-verdict'] }, [], 'tollgate supervise q1'],
  ['trust', { trusts: true }, ['--redo a'], 'tollgate run q1 --trust-workspace --redo a'],
  ['npx', { launcher: 'npx tollgate' }, [], 'npx tollgate run q1'],
  ['a supervised task', { verb: 'supervise' }, [], 'tollgate supervise q1'],
];
for (const [what, called, flags, line] of ROWS)
  test(`the line that continues: ${what}`, () => assert.is(goOnLine({ ...PLAIN, ...called }, ...flags), line));

test('other commands are started the same way, and trust nothing', () => {
  const called = { ...PLAIN, launcher: 'npx tollgate', word: 'a b', trusts: true };
  assert.is(taskLine(called, 'budget', '--set 6'), "npx tollgate budget 'a b' --set 6");
  assert.is(preflightLine('npx tollgate', '--tools codex'), 'npx tollgate preflight --tools codex');
});

test('a line holds the whole command', () => {
  assert.is(actionLine(toDo('read it')), 'read it');
  assert.is(actionLine(toType('continue', 'tollgate run q1')), 'continue: `tollgate run q1`');
});

test('what loosens something is named as the decision of the user, and is never first', () => {
  const raise = forUser('budget', toType('raise the limit', 'tollgate budget q1 --set 6'));
  const widen = forUser('scope', toDo('allow it'));
  assert.is(
    actionLine(raise),
    'only if the user allows more paid calls: raise the limit: `tollgate budget q1 --set 6`',
  );
  assert.equal(inOrder([raise, toDo('read it'), widen, toDo('read it')]), [toDo('read it'), raise, widen]);
  assert.equal(inOrder([raise]), [toDo('ask the user whether this task may pay for more calls'), raise]);
  assert.equal(inOrder([widen]), [toDo('ask the user whether less is to be required here'), widen]);
  assert.equal(inOrder([]), []);
});

test('a change reaches the text and the command', () => {
  const action = forUser('gate', toType('read /p/a', 'cat /p/a', 'pays'));
  assert.equal(
    mapAction(action, (text) => text.replaceAll('/p/', '')),
    { ...action, text: 'only if the user decides so, since it weakens the gate: read a', command: 'cat a' },
  );
});

test('a file of an older version has a line for each, and anybody may have edited it', () => {
  assert.equal(readActions(['tollgate run q1 (asks codex again)', 'read it']), [
    { ...toDo('tollgate run q1 (asks codex again)'), pays: true },
    toDo('read it'),
  ]);
  const whole = toType('continue', 'tollgate run q1', 'pays');
  assert.equal(readActions([whole, { text: 'a', pays: 'yes', changes: 'all', command: 1 }, null, 7, {}]), [
    whole,
    toDo('a'),
  ]);
  assert.equal(readActions(undefined), []);
  assert.equal(readActions({ text: 'a' }), []);
});

for (const [text, line] of [
  [
    'ask the user, and give the answer in place of the dots: tollgate answer q1 "…"',
    'answer it: `tollgate answer q1 "YOUR ANSWER"`',
  ],
  ['ask the user whether this is right', 'decide whether this is right'],
  [forUser('gate', toDo('run it')).text, 'only if you decide so, since it weakens the gate: run it'],
  [forUser('budget', toDo('raise it')).text, 'only if you allow more paid calls: raise it'],
  ['fix what fails; ask the user whether it may', 'fix what fails; ask the user whether it may'],
] as const)
  test(`for a person: ${text}`, () => assert.is(personLine(toDo(text)), line));

const AGAIN = toType('call codex again', 'tollgate run q1', 'pays');
const CHECK = toType('check the sign-in', 'tollgate preflight');
const RAISE = forUser('budget', toType('raise the limit', 'tollgate budget q1 --set 6'));
const STEPS: [what: string, actions: NextAction[], steps: NextAction[]][] = [
  ['a sign-in, then the call', [toDo('sign in'), toDo('note: no key'), CHECK, AGAIN], [toDo('sign in'), AGAIN]],
  ['the limit instead of the question, then the call', [toDecide('it may pay'), RAISE, AGAIN], [RAISE, AGAIN]],
  ['a question alone', [toDecide('it may pay')], [toDecide('it may pay')]],
  ['the call alone', [AGAIN, toDo('or use another CLI')], [AGAIN]],
  ['what to read, then a free check', [toDo('read the log'), CHECK, RAISE], [toDo('read the log'), CHECK]],
  ['no decision as the second step', [toDo('read the log'), RAISE], [toDo('read the log')]],
  ['nothing', [], []],
];
for (const [what, actions, steps] of STEPS)
  test(`the steps of a person: ${what}`, () => assert.equal(personSteps(actions), steps));

test.run();
