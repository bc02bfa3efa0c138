// With which code a wrapper exits: by how the call ended and, if wanted, by the class of its failure.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { exitByClass, wrapperExit } from '../../../loops/call/exit.ts';
import type { ErrorClass } from '../../../policies/facts/classes.ts';
import type { Verdict } from '../../../policies/facts/evidence.ts';

const verdict = (errorClass: ErrorClass | null, reason: string | null = null): Verdict => ({
  class: errorClass,
  reason,
  evidence: null,
  retry_at: null,
});
const CODES = { ok: 0, failure: 12, badInput: 2, timeout: 124, refusedInput: 65 };
const ended = { codes: CODES, ending: 'exited', refusedInput: false, stoppedBy: null } as const;

test('by the ending: a success, a timeout, a signal to us, a refused input, any other failure', () => {
  const exits = [
    { ...ended, verdict: verdict(null), ending: 'idle' },
    { ...ended, verdict: verdict('transient'), ending: 'timed_out' },
    { ...ended, verdict: verdict('transient'), ending: 'idle' },
    { ...ended, verdict: verdict('transient'), ending: 'cancelled', stoppedBy: 'SIGTERM' },
    { ...ended, verdict: verdict('prompt_too_large'), refusedInput: true },
    { ...ended, verdict: verdict('auth') },
  ] as const;
  assert.equal(
    exits.map((call) => wrapperExit(call as Parameters<typeof wrapperExit>[0])),
    [0, 124, 124, 143, 65, 12],
  );
});

test('by the class: our own budget is no quota of the service, and a class without a code keeps that of the call', () => {
  assert.equal(
    [verdict('quota', 'plan'), verdict('quota', 'budget'), verdict('auth'), verdict('transient'), verdict(null)].map(
      (one) => exitByClass(12, one),
    ),
    [75, 76, 77, 12, 12],
  );
});

test.run();
