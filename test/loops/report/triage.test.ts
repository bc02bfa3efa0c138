// Triage of captured output: text mode, event streams, and exit codes of the CLIs and of their wrappers.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { triage } from '../../../loops/report/triage.ts';
import type { BuiltIn } from '../../../policies/facts/tools.ts';
import type { CapturedCall } from '../../../policies/verdict/labelled-case.ts';

const clock = { now: new Date('2026-01-02T03:04:05Z'), timeZone: 'UTC' };
const of = (given: Partial<CapturedCall>): CapturedCall => ({
  tool: 'gemini',
  exitCode: null,
  signal: null,
  ending: null,
  stderr: '',
  stdout: '',
  ...given,
});

const ROWS: [what: string, given: Partial<CapturedCall>, verdict: string][] = [
  ['text mode, exit 0, an answer', { exitCode: 0, stdout: 'An answer.\n' }, 'null null'],
  ['text mode, exit 0, nothing', { exitCode: 0 }, 'transient empty_answer'],
  [
    'text mode, exit 0, an answer that was cut',
    { exitCode: 0, stdout: 'An an', stderr: '[ERROR] Model stream ended without a finish reason.\n' },
    'transient cut_answer',
  ],
  ['zero-width text is no answer', { exitCode: 0, stdout: '\u200b\ufeff\n' }, 'transient empty_answer'],
  // D2: a missing binary's code was read without its wrapper.
  ['the wrapper of codex says: no binary', { tool: 'codex', exitCode: 13 }, 'tooling binary_missing'],
  ['the wrapper of gemini says: timeout', { exitCode: 13 }, 'transient timeout'],
  ['the wrapper of codex says: timeout', { tool: 'codex', exitCode: 124 }, 'transient timeout'],
  [
    'the wrapper of copilot says: failure, and stderr says which',
    { tool: 'copilot', exitCode: 32, stderr: 'Error: No authentication information found.\n' },
    'auth not_signed_in',
  ],
  [
    'an exit code of the CLI beside its ending is never one of a wrapper',
    { exitCode: 12, ending: 'exited' },
    'unknown unmatched',
  ],
  ['a signal', { exitCode: null, signal: 'SIGSEGV' }, 'tooling crashed'],
  ['the ending that was recorded', { ending: 'idle', stderr: 'Error: no\n' }, 'transient idle'],
  ['killed at a deadline', { ending: 'killed' }, 'transient timeout'],
  [
    'killed at a retry',
    { ending: 'killed', stderr: 'Attempt 1 failed with status 503. Retrying with backoff... Error: overloaded\n' },
    'transient overloaded',
  ],
];
for (const [what, given, expected] of ROWS)
  test(what, () => {
    const { verdict, signature } = triage(of(given), clock);
    assert.is(`${verdict.class} ${verdict.reason}`, expected);
    assert.is(signature === null, verdict.class === null);
  });

test('D4: two tools’ empty stderr never share a signature', () => {
  const signatures = (['gemini', 'copilot', 'codex'] as const).map(
    (tool) => triage(of({ tool, exitCode: 1 }), clock).signature?.signature,
  );
  assert.is(new Set(signatures).size, 3);
});

test('text mode, exit 0, an answer: words that only a broad row knows are no failure', () => {
  const stderr = 'ERROR: connection reset by the tool that was asked\n';
  const failed = triage(of({ exitCode: 1, stderr }), clock).verdict;
  assert.ok(failed.class !== null, failed.reason ?? '');
  assert.is(
    triage(of({ exitCode: 0, stdout: 'An answer.\n', stderr: 'ERROR: something broke\n' }), clock).verdict.class,
    null,
  );
});

const TEXTS: [what: string, tool: BuiltIn, exitCode: number | null, stderr: string, stdout: string, verdict: string][] =
  [
    ['an answer', 'gemini', 0, '', 'Done.', 'null'],
    [
      'retries that were overcome',
      'gemini',
      0,
      'Attempt 1 failed: fetch failed. Retrying after 5 ms...',
      'Done.',
      'null',
    ],
    [
      'a helper that failed',
      'gemini',
      0,
      "Error during discovery for MCP server 'x': Connection closed",
      'Done.',
      'null',
    ],
    [
      "the CLI's own error behind half an answer",
      'copilot',
      0,
      'Execution failed: Error: You have no quota',
      'I will',
      'quota',
    ],
    ['a stop behind half an answer', 'gemini', 0, 'Loop detected, stopping execution', 'partial', 'transient'],
    ['a failure on stdout, as older versions tell it', 'copilot', 1, '', '✗ 402 You have no quota', 'quota'],
    ['the same with a zero exit', 'copilot', 0, '', '✗ Execution failed: 402 You have no quota', 'quota'],
    [
      'an answer about limits, of a call whose exit is not known',
      'codex',
      null,
      '',
      'Rate limit errors mean 429.',
      'unknown',
    ],
    [
      'an answer that quotes events',
      'gemini',
      1,
      '[API Error: You exceeded your current quota]',
      'The format:\n{"type":"message","role":"assistant","content":"done"}\n{"type":"result","status":"success"}',
      'quota',
    ],
  ];
for (const [what, tool, exitCode, stderr, stdout, verdict] of TEXTS)
  test(what, () => {
    const judged = triage({ tool, exitCode, signal: null, ending: null, stderr, stdout }, clock).verdict;
    assert.is(`${judged.class}`, verdict, `by ${judged.evidence?.rule}: ${judged.evidence?.text}`);
  });

test.run();
