import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CLASSES, type ErrorClass } from '../../../policies/facts/classes.ts';
import { toDo } from '../../../policies/facts/next-action.ts';
import { decide, type Question } from '../../../policies/verdict/decide.ts';
import { RETRY_TABLE } from '../../../policies/verdict/retry.ts';

const NOW = new Date('2026-11-21T21:00:00.000Z');
const RESET = '2026-11-21T23:00:00.000Z';
const HOUR = 3_600_000;

type Asked = Partial<Omit<Question, 'verdict'>> & { reason?: string; retry_at?: string | null };
const question = (
  errorClass: ErrorClass | null,
  { reason = 'any', retry_at = null, ...rest }: Asked = {},
): Question => ({
  verdict: { class: errorClass, reason, evidence: null, retry_at },
  count: 1,
  retriesLeft: 2,
  callsLeft: 5,
  dirty: false,
  dirtyRetries: 'never',
  sessionId: 's1',
  session: { sessionId: 's1', resumed: false, busyAwaited: 0, repair: 'allowed' },
  waitForResetMs: 0,
  resetsAwaited: 0,
  fallback: null,
  waitMs: 0,
  wallLeftMs: null,
  now: NOW,
  ...rest,
});
const action = (errorClass: ErrorClass, asked: Asked = {}) => decide(question(errorClass, asked)).action;

test('the first sight of each class is answered by the table, and every further one with a stop', () => {
  for (const errorClass of Object.keys(CLASSES) as ErrorClass[]) {
    assert.is(action(errorClass), RETRY_TABLE[errorClass].first, errorClass);
    for (const count of [2, 3, 9]) assert.is(action(errorClass, { count }), 'stop', errorClass);
  }
});

test('a reset is as far away as when the failure was judged, whatever the clock was set to since', () => {
  const asked = { waitForResetMs: HOUR * 2, retry_at: RESET, judgedAt: NOW };
  for (const hours of [-48, -1, 0, 1, 48]) {
    const now = new Date(NOW.getTime() + hours * HOUR);
    const decision = decide(question('quota', { ...asked, now }));
    assert.is(
      decision.action === 'wait_until' && decision.until,
      new Date(now.getTime() + 2 * HOUR).toISOString(),
      `${hours} h`,
    );
  }
});

const RESUMED = { sessionId: 's1', resumed: true, busyAwaited: 0, repair: 'allowed' } as const;

const ROWS: [why: string, errorClass: ErrorClass, asked: Asked, action: string][] = [
  ['no retry is left', 'transient', { retriesLeft: 0 }, 'stop'],
  ['no paid call remains', 'transient', { callsLeft: 0 }, 'stop'],
  ['tools ran, and the session goes on', 'transient', { dirty: true }, 'resume'],
  ['tools ran, and there is no session', 'transient', { dirty: true, sessionId: null }, 'stop'],
  ['tools ran, and what is too long is the session', 'prompt_too_large', { dirty: true }, 'stop'],
  [
    'tools ran, there is no session, but the user lets it begin anew',
    'transient',
    { dirty: true, sessionId: null, dirtyRetries: 'allowed' },
    'retry',
  ],
  ['tools ran, and the session goes first even then', 'transient', { dirty: true, dirtyRetries: 'allowed' }, 'resume'],
  [
    'tools ran, and a digest may begin anew',
    'prompt_too_large',
    { dirty: true, dirtyRetries: 'allowed' },
    'retry_digest',
  ],
  [
    'a second reset is not believed to be so near',
    'quota',
    { waitForResetMs: 30_000, resetsAwaited: 1, retry_at: NOW.toISOString() },
    'stop',
  ],
  [
    'a second reset that may be waited for',
    'quota',
    { waitForResetMs: 90_000, resetsAwaited: 1, retry_at: NOW.toISOString() },
    'wait_until',
  ],
  [
    'a fourth reset is waited for longer still',
    'quota',
    { waitForResetMs: 200_000, resetsAwaited: 3, retry_at: NOW.toISOString() },
    'stop',
  ],
  [
    'another tool begins anew where the user lets it',
    'quota',
    { fallback: 'gemini', dirty: true, dirtyRetries: 'allowed' },
    'fallback',
  ],
  ['a quota without a reset', 'quota', { waitForResetMs: HOUR * 9 }, 'stop'],
  ['a reset that may be waited for', 'quota', { waitForResetMs: HOUR * 2, retry_at: RESET }, 'wait_until'],
  ['a reset that is too far', 'quota', { waitForResetMs: HOUR, retry_at: RESET }, 'stop'],
  ['nobody said to wait', 'quota', { retry_at: RESET }, 'stop'],
  ['a reset that has passed, but nobody said to wait', 'quota', { retry_at: '2026-11-21T20:00:00.000Z' }, 'stop'],
  ['no reset of our own budget', 'quota', { waitForResetMs: HOUR * 2, retry_at: RESET, reason: 'budget' }, 'stop'],
  [
    'a session that another writes in is waited for',
    'transient',
    { reason: 'session_busy', session: { ...RESUMED, busyAwaited: 3 } },
    'wait_session',
  ],
  [
    'four times at most',
    'transient',
    { reason: 'session_busy', session: { ...RESUMED, busyAwaited: 4 }, retriesLeft: 0 },
    'stop',
  ],
  ['a session that is not known any more', 'tooling', { reason: 'session_id', session: RESUMED }, 'fresh_session'],
  [
    'an id that no session was resumed by',
    'tooling',
    { reason: 'session_id', session: { ...RESUMED, resumed: false } },
    'stop',
  ],
  ['a reset with no call left', 'quota', { waitForResetMs: HOUR * 2, retry_at: RESET, callsLeft: 0 }, 'stop'],
  [
    'another tool stands in, sooner than a reset',
    'quota',
    { fallback: 'gemini', waitForResetMs: HOUR * 2, retry_at: RESET },
    'fallback',
  ],
  ['another tool for our own budget', 'quota', { fallback: 'gemini', reason: 'budget' }, 'stop'],
  ['another tool with no call left', 'quota', { fallback: 'gemini', callsLeft: 0 }, 'stop'],
  ['another tool would redo what was done', 'quota', { fallback: 'gemini', dirty: true }, 'stop'],
  ['another tool for what is no quota', 'auth', { fallback: 'gemini' }, 'stop'],
  [
    'a stand-in for what is overloaded, if wanted',
    'transient',
    { fallback: 'gemini', reason: 'overloaded', fallbackOn: ['overloaded'] },
    'fallback',
  ],
  ['no stand-in for it unless wanted', 'transient', { fallback: 'gemini', reason: 'overloaded' }, 'retry'],
  [
    'nor once its tools ran, whatever may be begun anew',
    'tooling',
    {
      fallback: 'gemini',
      reason: 'model_not_found',
      fallbackOn: ['model_not_found'],
      dirty: true,
      dirtyRetries: 'allowed',
    },
    'stop',
  ],
  [
    'a stand-in for a model that is not found',
    'tooling',
    { fallback: 'gemini', reason: 'model_not_found', fallbackOn: ['model_not_found'] },
    'fallback',
  ],
  [
    'none for a quota where it is asked for other things alone',
    'quota',
    { fallback: 'gemini', fallbackOn: ['overloaded'] },
    'stop',
  ],
  ['standing in is no retry', 'quota', { fallback: 'gemini', retriesLeft: 0, count: 3 }, 'fallback'],
  [
    'tools ran, and the session is gone on with later',
    'quota',
    { dirty: true, fallback: 'gemini', waitForResetMs: HOUR * 2, retry_at: RESET },
    'wait_until',
  ],
  [
    'tools ran, and no session could be gone on with later',
    'quota',
    { dirty: true, sessionId: null, waitForResetMs: HOUR * 2, retry_at: RESET },
    'stop',
  ],
  [
    'waiting is no retry',
    'quota',
    { waitForResetMs: HOUR * 2, retry_at: RESET, retriesLeft: 0, count: 3 },
    'wait_until',
  ],
];

for (const [why, errorClass, asked, expected] of ROWS)
  test(`${errorClass}: ${why}`, () => assert.is(action(errorClass, asked), expected));

test('a resumed session and an awaited reset are named', () => {
  assert.equal(decide(question('transient', { dirty: true })), {
    action: 'resume',
    sessionId: 's1',
    why: 'continuing in its session, because it had already run tools or changed the tree',
    next_actions: [],
  });
  assert.equal(decide(question('quota', { waitForResetMs: HOUR * 2, retry_at: RESET })), {
    action: 'wait_until',
    until: RESET,
    sessionId: null,
    why: 'waiting for the reset',
    next_actions: [],
  });
});

test('a stop says why, and what to do next only where that is its own', () => {
  const stops: [asked: Question, why: string, next: string[]][] = [
    [question('auth'), 'never retried: it would fail the same way', []],
    [question('transient', { count: 2, retry_at: RESET }), 'seen 2 times in this run', []],
    [question('transient', { callsLeft: 0 }), 'no paid call remains', []],
    [question('quota', { reason: 'budget' }), 'no call is made until it is raised', []],
    [
      question('transient', { dirty: true, sessionId: null }),
      'the attempt had already run tools or changed the tree, and there is no session to continue in',
      ['review its changes before you run it again; with --retry-dirty a run starts over by itself'],
    ],
    [
      question('quota', { fallback: 'gemini', dirty: true }),
      'never retried before its reset; gemini did not replace it, because the attempt had already run tools or changed the tree',
      ['review its changes; with --retry-dirty a run then calls the fallback at once'],
    ],
    [question('quota', { fallback: 'gemini', dirty: true, callsLeft: 0 }), 'never retried before its reset', []],
  ];
  for (const [asked, why, next_actions] of stops)
    assert.equal(decide(asked), { action: 'stop', why, next_actions: next_actions.map(toDo) });
});

test('nothing is decided about a success', () => {
  assert.equal(decide(question(null)), { action: 'stop', why: 'nothing failed', next_actions: [] });
});

test('nothing is waited for beyond the wall clock of the task', () => {
  assert.is(action('transient', { waitMs: 4000, wallLeftMs: 5000 }), 'retry');
  const { action: stopped, why } = decide(question('transient', { waitMs: 5000, wallLeftMs: 5000 }));
  assert.equal([stopped, why], ['stop', "the wait of 5 s would pass the task's wall clock"]);
});

test.run();
