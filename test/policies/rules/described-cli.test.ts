// A description of a CLI in a draft, which somebody may have planted: a row of another shape is none.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OwnTool } from '../../../policies/facts/tools.ts';
import { isOwnRow, type OwnToolRow } from '../../../policies/rules/described-cli.ts';

const ROW: OwnToolRow = {
  name: 'mine' as OwnTool,
  binary: '/bin/mine',
  argv: ['ask', ['--model', '{model}']],
  environment: { MINE: 'x' },
  prompt: 'stdin',
  maxPromptBytes: null,
  output: 'lines',
  events: [{ when: { type: ['text', 1, true] }, answer: 'a', tokens: { input: 'n' }, adds: true }],
  successExits: [0],
  access: { read: ['-r'] },
  retries: { argv: [], environment: {}, announced: ['again: *'] },
  version: null,
  packageName: null,
  timeoutMs: 1000,
  exits: { timeout: 13, failure: 12, missingBinary: 10, badInput: 11 },
};

test('a description is one, also as JSON, and of that name alone', () => {
  assert.ok(isOwnRow(JSON.parse(JSON.stringify(ROW)), 'mine'));
  assert.ok(isOwnRow({ ...ROW, access: null, version: ['-v'], packageName: 'm', maxPromptBytes: 9 }, 'mine'));
  assert.not(isOwnRow(ROW, 'other'));
  for (const value of [null, 5, [], 'mine']) assert.not(isOwnRow(value, 'mine'));
});

const PLANTED: [field: keyof OwnToolRow, values: unknown[]][] = [
  ['binary', [5]],
  ['argv', [[5], [[5]], [null], 'ask', null]],
  ['environment', [{ MINE: 5 }, [], null]],
  ['prompt', ['no', null]],
  ['maxPromptBytes', ['9']],
  ['output', ['no', null]],
  [
    'events',
    [
      [null],
      [5],
      [{}],
      [{ when: null }],
      [{ when: { a: 'b' } }],
      [{ when: {}, answer: 5 }],
      [{ when: {}, tokens: [] }],
    ],
  ],
  ['successExits', [['0'], null]],
  ['access', [{ read: 'x' }, { read: [5] }, 5]],
  ['retries', [null, {}, { ...ROW.retries, announced: [5] }, { ...ROW.retries, environment: { A: 1 } }]],
  ['version', ['-v', [5]]],
  ['packageName', [5]],
  ['timeoutMs', ['1', null]],
  ['exits', [null, {}, { ...ROW.exits, failure: '12' }]],
];
for (const [field, values] of PLANTED)
  test(`${field} of another shape`, () => {
    for (const value of values) assert.not(isOwnRow({ ...ROW, [field]: value }, 'mine'), JSON.stringify(value));
  });

test.run();
