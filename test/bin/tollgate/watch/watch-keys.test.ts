// The keys of tollgate watch: each changes the view, and names what is to be done.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FIRST_VIEW, keysIn, keysLine, pressed } from '../../../../bin/tollgate/watch/watch.ts';

const IDS = ['alpha', 'beta', 'gamma'];
const UP = '\u001b[A';
const DOWN = '\u001b[B';

/** All keys, one after the other: what was done, and the view at the end. */
function press(keys: string, ids: readonly string[] = IDS) {
  let view = FIRST_VIEW;
  const acts: string[] = [];
  for (const key of keysIn(keys)) {
    const { view: next, act } = pressed(view, key, ids);
    view = next;
    if (act !== undefined) acts.push(act);
  }
  return { view, acts };
}

const CHOICES: [keys: string, selected: string | null][] = [
  ['j', 'alpha'],
  ['jj', 'beta'],
  [`${DOWN}${DOWN}${UP}`, 'alpha'],
  ['jjjjj', 'gamma'],
  ['kk', 'alpha'],
  ['jj\u001b', null],
  ['jj/', 'beta'],
  ['jj/x', null],
];
for (const [keys, selected] of CHOICES)
  test(`${JSON.stringify(keys)} chooses ${selected}`, () => {
    assert.is(press(keys).view.selected, selected);
  });

const ACTS: [what: string, keys: string, acts: string[]][] = [
  ['q quits', 'q', ['leave']],
  ['Ctrl-C interrupts, also while a filter is typed', '/ab\u0003', ['interrupt']],
  ['a letter of a filter is no key', '/qsl', []],
  ['s asks first', 'js', []],
  ['y stops', 'jsy', ['stop']],
  ['any other key does not stop', 'jsny', []],
  ['s of no chosen task is about the first one', 'sy', ['stop']],
  ['l opens the log, and q closes it without quitting', 'jlq', ['log', 'close']],
  ['o opens the summary, as Enter does', 'jo\u001b\rq', ['summary', 'close', 'summary', 'close']],
];
for (const [what, keys, acts] of ACTS)
  test(what, () => {
    assert.equal(press(keys).acts, acts);
  });

test('without a task, a key says so and does nothing', () => {
  const { view, acts } = press('s', []);
  assert.equal([acts, view.message], [[], 'Nothing to stop: no task is shown.']);
});

test('only a task that runs can be stopped, and only then the key is named', () => {
  const { view, act } = pressed({ ...FIRST_VIEW, selected: 'beta' }, 's', IDS, ['alpha']);
  assert.equal([act, view.mode, view.message], [undefined, 'tasks', 'beta does not run.']);
  assert.match(keysLine(FIRST_VIEW, true), / s stop /);
  assert.not.match(keysLine(FIRST_VIEW, false), / s stop /);
});

test('a filter is typed, corrected, kept, and removed', () => {
  assert.is(keysLine(press('/abc\u007f').view), 'filter: ab_  (Enter keeps it, Esc removes it)');
  assert.match(keysLine(press('/ab\r').view), / filter \(filter: ab\) {3}q quit$/);
  assert.is(press('/ab\u001b').view.filter, '');
  assert.is(press('/a\u0000\u001b[Cb\u202e\r').view.filter, 'ab');
});

test('a pane is scrolled back and forth, and not beyond its end', () => {
  assert.is(press('jlkkkj').view.back, 2);
  assert.is(press('jlkjjjj').view.back, 0);
});

test.run();
