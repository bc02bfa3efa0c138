// What is made of a session: the table of failures, its limits, its rest, its tag, and the way out of what is its own fault.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CLASSES, type ErrorClass } from '../../../policies/facts/classes.ts';
import { isOf, type SessionEntry, sessionTitle, TAG } from '../../../policies/session/session-entry.ts';
import {
  AGAINST_SESSION,
  afterCall,
  CONTEXT_LIMIT_TOKENS,
  countsAgainst,
  fitnessOf,
  restMs,
} from '../../../policies/session/session-policy.ts';
import { busyWaitMs, MAX_BUSY_WAITS, type SessionStanding, wayOutOfSession } from '../../../policies/verdict/decide.ts';

const NOW = new Date('2026-11-21T21:00:00.000Z');
const ENTRY: SessionEntry = {
  session_id: 's1',
  last_used: NOW.toISOString(),
  error_count: 0,
  total_tokens: 10,
  context_tokens: 5,
  feature_id: 'login',
  cwd: '/p',
};
const verdict = (errorClass: ErrorClass | null, reason: string | null = 'any') => ({
  class: errorClass,
  reason,
  evidence: null,
  retry_at: null,
});
const USED = { at: NOW, context_tokens: 7, total_tokens: 30 };

test('what counts against a session, by class', () => {
  const counted = (Object.keys(CLASSES) as ErrorClass[]).filter((each) => countsAgainst(verdict(each)));
  assert.equal(counted.sort(), ['prompt_too_large', 'transient', 'unknown']);
  for (const { why } of Object.values(AGAINST_SESSION)) assert.ok(why.length > 10);
});

const REASONS: [ErrorClass | null, string, boolean][] = [
  ['tooling', 'broken_history', true],
  ['tooling', 'session_id', false],
  ['transient', 'timeout', true],
  ['transient', 'cancelled', false],
  [null, 'broken_history', false],
];
for (const [errorClass, reason, counts] of REASONS)
  test(`${errorClass} (${reason}) ${counts ? 'counts' : 'does not count'} against it`, () => {
    assert.is(countsAgainst(verdict(errorClass, reason)), counts);
  });

test('failures add up, and a success resets them', () => {
  const once = afterCall(ENTRY, verdict('transient'), USED);
  const twice = afterCall(once, verdict('unknown'), USED);
  const still = afterCall(twice, verdict('quota'), USED);
  assert.equal([once.error_count, twice.error_count, still.error_count], [1, 2, 2]);
  assert.equal(afterCall(still, null, USED), { ...ENTRY, error_count: 0, context_tokens: 7, total_tokens: 30 });
});

const FITNESS: [what: string, entry: Partial<SessionEntry>, because: string | null][] = [
  ['a good one', {}, null],
  ['two failures', { error_count: 2 }, null],
  ['three failures', { error_count: 3 }, 'errors'],
  ['the last token of the limit', { context_tokens: CONTEXT_LIMIT_TOKENS }, null],
  ['one token over the limit', { context_tokens: CONTEXT_LIMIT_TOKENS + 1 }, 'context'],
  ['a context of unknown size', { context_tokens: null }, null],
  ['a poisoned one', { poisoned: 'broken' }, 'poisoned'],
];
for (const [what, entry, because] of FITNESS)
  test(`${what}: ${because ?? 'fit'}`, () => {
    const fitness = fitnessOf({ ...ENTRY, ...entry }, 350_000);
    assert.is(fitness.how === 'ready' ? null : fitness.because, because);
  });

const RESTS: [what: string, errors: number, laterMs: number, ms: number][] = [
  ['no failure', 0, 0, 0],
  ['the first', 1, 0, 10_000],
  ['the second', 2, 0, 20_000],
  ['what is left of it', 2, 5000, 15_000],
  ['nothing is left of it', 2, 20_000, 0],
  ['a clock that was set back', 2, -3_600_000, 20_000],
];
for (const [what, error_count, laterMs, ms] of RESTS)
  test(`rest: ${what}`, () => {
    assert.is(restMs({ ...ENTRY, error_count }, new Date(NOW.getTime() + laterMs)), ms);
  });

const STANDING: SessionStanding = { sessionId: 's1', resumed: true, busyAwaited: 0, repair: 'allowed' };
const WAYS: [what: string, reason: string, standing: Partial<SessionStanding>, action: string | null][] = [
  ['an id that is not known', 'session_id', {}, 'fresh_session'],
  ['an id that nobody asked for', 'session_id', { resumed: false }, null],
  ['somebody writes in it', 'session_busy', {}, 'wait_session'],
  ['somebody writes in it for ever', 'session_busy', { busyAwaited: MAX_BUSY_WAITS }, null],
  ['a broken history', 'broken_history', {}, 'mend'],
  ['a broken history of a new session', 'broken_history', { resumed: false }, 'mend'],
  ['broken again', 'broken_history', { repair: 'done' }, null],
  ['broken, and left alone', 'broken_history', { repair: 'off' }, null],
  ['broken, but nobody knows which', 'broken_history', { sessionId: null }, null],
  ['something else', 'bad_flag', {}, null],
];
for (const [what, reason, standing, action] of WAYS)
  test(`${what}: ${action ?? 'a failure like others'}`, () => {
    const way = wayOutOfSession(verdict('tooling', reason), { ...STANDING, ...standing });
    assert.is(way?.action ?? null, action);
  });

test('whoever writes there is waited for longer and longer, but not for ever', () => {
  assert.equal([0, 1, 2, 3, 9].map(busyWaitMs), [2000, 8000, 32_000, 60_000, 60_000]);
});

const TAGS: [tag: string, isTag: boolean][] = [
  ['login', true],
  ['größe 2.5 [beta', true],
  ['__proto__', true],
  ['team@x/y:z', true],
  ['x'.repeat(128), true],
  ['😀'.repeat(128), true],
  ['x'.repeat(129), false],
  ['a]b', false],
  ['-a', false],
  [' a', false],
  ['a\nb', false],
  ['', false],
];
for (const [tag, isTag] of TAGS)
  test(`${JSON.stringify(tag.slice(0, 20))} is ${isTag ? 'a tag' : 'none'}`, () => {
    assert.is(TAG.test(tag), isTag);
  });

const GOAL = 'Mend the login of the shop.';
const PROMPTS: [what: string, prompt: string, isOf: boolean][] = [
  ['its header', '[Feature: a b]\n\nDo it.', true],
  ['its header, in a file with other line ends', '[Feature: a b]\r\n\r\nDo it.', true],
  ['a longer tag', '[Feature: a b c]\n\nDo it.', false],
  ['its header in the middle', 'Look:\n[Feature: a b]\n', false],
  ['the goal, without a header', `Please:\nMend the login\nof the shop.\nNow.`, true],
  ["the goal, under somebody else's header", `[Feature: other]\n\n${GOAL}`, false],
  ['neither', 'Do it.', false],
];
for (const [what, prompt, expected] of PROMPTS)
  test(`a session that begins with ${what} is ${expected ? 'its own' : "not the tag's"}`, () => {
    assert.is(isOf(prompt, { headers: ['[Feature: a b]'], goal: GOAL }), expected);
  });

test('a short goal says nothing', () => {
  assert.not(isOf('Please fix it.', { headers: [], goal: 'fix it' }));
});

const TITLES: [prompt: string, title: string][] = [
  [
    '[Feature: fix]\n\n# Rules\n\n- Do what\n\n# Goal\n\nFind the bug.\nIn the login.\n\n# Scope\n',
    'Find the bug. [fix]',
  ],
  ['[Feature: a tag]\n\n# Rules\n\nwithout a goal', 'a tag'],
  // As a CLI cuts it in its own list.
  ['[Feature: fix] # Rules - Do what your part asks', 'fix'],
  ['List the files.', 'List the files.'],
  ['look at [Feature: fix]', 'look at [Feature: fix]'],
  ['', ''],
];
for (const [prompt, title] of TITLES) test(JSON.stringify(prompt), () => assert.is(sessionTitle(prompt), title));

test.run();
