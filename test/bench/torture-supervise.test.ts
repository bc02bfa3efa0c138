// The torture of supervised tasks: its plans are repeatable, its checks see what they are there for, and a round finds nothing.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkSupervised, type SeenCall } from '../../bench/torture/supervise/invariants.ts';
import { supervisePlanOf } from '../../bench/torture/supervise/plan.ts';
import { playSuperviseRound } from '../../bench/torture/supervise/play.ts';
import type { JournalLine } from '../../state/journal/facts.ts';
import type { Said } from '../rig/supervision-model.ts';

test('the same seed and number make the same round', () => {
  assert.equal(supervisePlanOf(1, 7), supervisePlanOf(1, 7));
  assert.not.equal(supervisePlanOf(1, 7), supervisePlanOf(1, 8));
});

/** What a call leaves: its part, what it was told or what the reasoner said, and how it counts. */
type Step = ['w', string, Counts?] | ['r', Said, Counts?];
type Counts = 'answered' | 'lost' | 'fails';

function roundOf(steps: readonly Step[], instruction = 'A') {
  const calls = new Map<string, SeenCall>();
  const lines: JournalLine[] = [];
  for (const [i, [part, what, counts = 'answered']] of steps.entries()) {
    const call_id = `c${i}`;
    const note = (fact: object) => lines.push({ v: 1, at: '', call_id, ...fact } as never);
    const stage = part === 'w' ? 'worker' : 'reasoner';
    const text =
      part === 'w' ? `# Current instruction\n\n${what}` : `===== begin x: instruction =====\n${instruction}\n`;
    calls.set(call_id, { part: stage, text, said: part === 'w' ? null : (what as Said), answered: true });
    note({ fact: 'reserved', stage });
    const verdicts = { answered: [null, null], lost: ['tooling', 'interrupted'], fails: ['auth', 'http_401'] } as const;
    const [errorClass, reason] = verdicts[counts];
    note({ fact: 'verdict', class: errorClass, reason });
    if (part === 'r') note({ fact: 'reasoned', action: counts === 'fails' ? 'error' : 'no_op' });
  }
  return { lines, calls, texts: new Map<string, string>(), stopped: false };
}

const NO_OP: Said = { how: 'no_op' };
const DONE: Said = { how: 'believed' };
const WHOLE: Step[] = [
  ['w', 'A'],
  ['r', NO_OP],
  ['w', 'A'],
  ['r', DONE],
];

for (const [what, steps, code, found] of [
  ['all of them', WHOLE, 0, []],
  ['a worker twice', [['w', 'A'], ...WHOLE], 0, ['course']],
  ['a reasoner twice', [...WHOLE.slice(0, 2), ['r', NO_OP], ...WHOLE.slice(2)], 0, ['course']],
  ['a worker with another instruction', [...WHOLE.slice(0, 2), ['w', '']], 0, ['course']],
  ['a worker with half of it', [['w', ' A']], 0, ['course']],
  [
    'none of the reasoner after the third error',
    [
      ['w', 'A'],
      ['r', NO_OP, 'fails'],
      ['w', 'A'],
      ['r', NO_OP, 'fails'],
      ['w', 'A'],
      ['r', NO_OP, 'fails'],
      ['w', 'A'],
    ],
    0,
    ['course'],
  ],
  ['a call that was answered, and lost', [['w', 'A', 'lost'], ...WHOLE], 0, ['twice']],
  ['half of them', WHOLE.slice(0, 3), 1, ['undone']],
] as [string, Step[], number, string[]][])
  test(`a round that made ${what}: ${found.join(', ') || 'nothing'}`, () => {
    assert.equal(
      checkSupervised('A', { ...roundOf(steps), code }).map((one) => one.what),
      found,
    );
  });

test('a round in which the dispatcher is killed ends with each call made once', async () => {
  const { violations, struck } = await playSuperviseRound(1, ROUND);
  assert.equal(violations, []);
  assert.ok(struck.length > 0);
});

/** A short one, in which something is hit. */
const ROUND = 1;

test.run();
