import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { assess } from '../../../policies/signature/assess.ts';
import { tidy } from '../../../policies/signature/bare.ts';
import { LINE_KINDS } from '../../../policies/signature/line-kinds.ts';

for (const { name, examples } of LINE_KINDS) {
  test(`${name}: each example is of this kind`, () => {
    assert.ok(examples.length > 0);
    for (const example of examples) assert.is(assess(tidy(example, 2000)).kind?.name, name, example);
  });
}

test('errors are of no kind, and bear one', () => {
  for (const line of [
    'Error: connect ECONNREFUSED 127.0.0.1:9',
    'ERROR: unexpected status 401 Unauthorized: Incorrect API key provided',
    'at capacity: please try again later',
    'Warnings were treated as errors',
    'The provider rejected the prompt as too long. Reduce context before retrying.',
    'Failed to get response from the AI model; retried 5 times (total retry wait time: 5.00 seconds)',
    'Usage limit reached, it resets at 8pm',
    "You've used 100% of your quota",
    '400 No tool output found for function call call_fake_1.',
    'Quota exceeded. Check your plan and billing details.',
    '    code: 429,',
  ]) {
    const { kind, bearsError } = assess(line);
    assert.is(kind, null, `${line} is taken for a ${kind?.name}`);
    assert.ok(bearsError, `${line} bears no error`);
  }
});

test('what merely continues bears no error', () => {
  for (const line of ['Connecting to the server', 'Loaded 3 extensions in 25 ms', 'a visual experience', 'Exiting…']) {
    assert.not.ok(assess(line).bearsError, line);
  }
});

test.run();
