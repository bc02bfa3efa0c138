// The places in the words of a described CLI, and its announced retries.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { announcedIn } from '../../../policies/rules/described-events.ts';
import { fillWords, placesIn } from '../../../policies/rules/described-words.ts';

test('a list of words goes where one of its places has no value', () => {
  const words = ['run', ['--model', '{model}'], ['-C', '{cwd}'], 'x={cwd}'];
  assert.equal(fillWords(words, { cwd: '/w' }), ['run', '-C', '/w', 'x=/w']);
  assert.equal(fillWords(words, { cwd: '/w', model: 'm' }), ['run', '--model', 'm', '-C', '/w', 'x=/w']);
});

test('a place of several words is all of them, and of none nothing', () => {
  assert.equal(fillWords(['{access}', '-'], { access: ['--a', '--b'] }), ['--a', '--b', '-']);
  assert.equal(fillWords(['{access}', '-'], { access: [] }), ['-']);
});

test('a value is not filled in once more', () => {
  assert.equal(fillWords(['{model}'], { model: '{cwd}', cwd: '/w' }), ['{cwd}']);
});

test('places are found in a word', () => assert.equal(placesIn('a{model}b{x}'), ['model', 'x']));

const PHRASE = 'level=ERROR*error="*"';
test('the last star of a phrase is the cause', () => {
  assert.is(announcedIn([PHRASE], 'at=1 level=ERROR message=x error="503 busy" more'), '503 busy');
  assert.is(announcedIn(['retrying*'], 'will be retrying in 2 s'), ' in 2 s');
  assert.is(announcedIn(['retrying'], 'retrying soon'), 'retrying soon');
});

test('a line that has not all of a phrase announces nothing', () => {
  for (const line of ['level=ERROR error=503', 'error="503" level=ERROR', ''])
    assert.is(announcedIn([PHRASE], line), null);
});

test.run();
