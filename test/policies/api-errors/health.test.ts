// Health counts what nothing healed, and leaves to the user what is the user's.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ApiFailure, healthOf, standOf } from '../../../policies/api-errors/health.ts';

const NOW = new Date('2026-11-22T12:00:00.000Z');
const failed = (at: string, more: Partial<ApiFailure> = {}): ApiFailure => ({
  at: `2026-11-${at}:00.000Z`,
  tool: 'codex',
  cli_version: '1',
  class: 'transient',
  stand: 'unrecovered',
  ...more,
});
const NONE = { unrecovered: 0, recovered: 0, users: 0, open: 0 };

test('nothing logged', () =>
  assert.equal(healthOf([], '2026-10-23', NOW), {
    days_without: null,
    last_unrecovered: null,
    first_logged: null,
    total: NONE,
    days: [],
    tools: [],
  }));

test('by day, by tool and version; signing in and quotas apart, and one that failed again for what came after it', () => {
  const failures = [
    failed('14T10:00'),
    failed('15T11:59'),
    failed('20T10:00', { stand: 'recovered' }),
    failed('20T10:01', { stand: 'retried', tool: 'gemini' }),
    failed('20T10:02', { class: 'auth' }),
    failed('20T10:03', { class: 'quota', stand: 'recovered' }),
    failed('21T10:00', { stand: 'open', cli_version: null }),
  ];
  assert.equal(healthOf(failures, '2026-11-15', NOW), {
    days_without: 7,
    last_unrecovered: '2026-11-15T11:59:00.000Z',
    first_logged: '2026-11-14T10:00:00.000Z',
    total: { unrecovered: 1, recovered: 1, users: 2, open: 1 },
    days: [
      { day: '2026-11-15', ...NONE, unrecovered: 1 },
      { day: '2026-11-20', ...NONE, recovered: 1, users: 2 },
      { day: '2026-11-21', ...NONE, open: 1 },
    ],
    tools: [
      { tool: 'codex', cli_version: '1', ...NONE, unrecovered: 1, recovered: 1, users: 2 },
      { tool: 'codex', cli_version: null, ...NONE, open: 1 },
    ],
  });
});

test('seven days are whole ones, and the last error counts although it lies before what is shown', () => {
  assert.is(healthOf([failed('15T12:01')], '2026-11-20', NOW).days_without, 6);
  assert.is(healthOf([failed('15T12:00')], '2026-11-20', NOW).days_without, 7);
});

test('a call that no run made has nobody who would heal it', () => {
  const outcome = { at: '', call_id: 'c', how: 'recovered', why: '' } as const;
  assert.equal(
    [standOf(null, undefined), standOf('r', undefined), standOf(null, outcome)],
    ['unrecovered', 'open', 'recovered'],
  );
});

test.run();
