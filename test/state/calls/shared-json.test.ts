// An entry of which the larger part was put into words before: the same text as if it were put into words anew.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonWith } from '../../../state/calls/judge-register.ts';

test('both parts are in it, each time, whoever shares the larger one', () => {
  const others = { tasks: ['a', 'b"'], names: { a: { inputs: 'x' } } };
  for (const task of ['a', 'b']) assert.equal(JSON.parse(jsonWith({ v: 1, task }, others)), { v: 1, task, ...others });
  assert.is(jsonWith({ v: 1 }, others), JSON.stringify({ v: 1, ...others }));
  assert.is(jsonWith({ v: 1 }, { tasks: [], names: undefined }), '{"v":1,"tasks":[]}');
});

test.run();
