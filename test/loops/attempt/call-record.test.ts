// What the record of a call says beside its verdict.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { redactorFor } from '../../../loops/attempt/close-attempt.ts';
import { begin, NOT_REACHED } from '../../../loops/attempt/phases.ts';
import type { WrapperRequest } from '../../../loops/attempt/request.ts';
import { UNKNOWN_CALL } from '../../../loops/attempt/restored-draft.ts';
import { classifyOutcome } from '../../../loops/call/classify.ts';
import { recordOf, sentenceOf } from '../../../loops/call/record.ts';
import { ADAPTERS } from '../../../wrappers/adapters.ts';
import { createCapture } from '../../../wrappers/capture.ts';
import type { Outcome } from '../../../wrappers/run.ts';

const REQUEST: WrapperRequest = {
  callId: 'one',
  adapter: ADAPTERS.codex,
  call: { ...UNKNOWN_CALL, environment: {} },
  files: { prompt: '', out: '', err: '', result: null, sessionIdOut: null, doneMarker: null, pidFile: null },
  limits: {
    timeoutMs: 1000,
    timeoutMode: 'wait_done',
    idleTimeoutMs: null,
    startTimeoutMs: null,
    maxTurns: null,
    maxOutputBytes: 1000,
  },
  charge: null,
  redactionPatterns: [],
  ownRows: [],
  keepRaw: false,
  recordRequests: false,
  composed: { warnings: [], leftOut: [] },
};

const OUTCOME: Outcome = {
  ending: 'exited',
  exitCode: 1,
  signal: null,
  durationMs: 900,
  sleptMs: 0,
  silent: false,
  capture: createCapture().result(),
  errorLines: [],
  remarks: [],
  stderrBytes: 0,
  orphansKilled: 0,
  spawnError: null,
};

const JUDGED = {
  verdict: { class: 'unknown', reason: 'unmatched', evidence: null, retry_at: null },
  signature: null,
} as const;

for (const [what, seen, warnings] of [
  ['one that was awake', {}, []],
  [
    'a machine that slept, whose sleep counts for no deadline',
    { sleptMs: 3_600_400 },
    ['the machine slept for 3600 s during the call'],
  ],
  [
    'a deadline that is only noted',
    { durationMs: 1001 },
    ['the deadline of 1000 ms passed; it was only noted (--timeout-mode wait_done)'],
  ],
] as const)
  test(`warnings: ${what}`, () => {
    const begun = begin(REQUEST, () => new Date('2026-01-01T00:00:00.000Z'));
    const call = { ...NOT_REACHED, ...begun, redactor: redactorFor(REQUEST) };
    assert.equal(recordOf(call, { ...OUTCOME, ...seen }, JUDGED, 1).warnings, warnings);
  });

for (const [what, startTimeoutMs, idleTimeoutMs, limit, sentence] of [
  ['the shorter limit for every pause', 120_000, 1000, 'idle_timeout', 'it wrote nothing for 1 s; .*--idle-timeout-ms'],
  ['the limit for the first byte', 1000, 2000, 'start_timeout', 'it wrote nothing within 1 s; .*--start-timeout-ms'],
] as const)
  test(`a call that wrote nothing names what ended it: ${what}`, () => {
    const limits = { ...REQUEST.limits, startTimeoutMs, idleTimeoutMs };
    const silent = { ...OUTCOME, ending: 'idle', exitCode: null, signal: 'SIGTERM', silent: true } as const;
    const clock = { now: new Date(0) };
    const judged = classifyOutcome(silent, { tool: 'codex', taskId: null, prompt: null, ownRows: [], clock, limits });
    assert.equal([judged.verdict.reason, judged.verdict.evidence?.limit?.name], ['silent_start', limit]);
    const begun = begin({ ...REQUEST, limits }, () => new Date(0));
    const call = { ...NOT_REACHED, ...begun, redactor: redactorFor(REQUEST) };
    assert.match(sentenceOf(recordOf(call, silent, judged, 1), { ...REQUEST, limits })!, new RegExp(sentence));
  });

test.run();
