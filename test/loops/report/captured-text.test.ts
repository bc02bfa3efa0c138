// What was captured without an event stream: when it is a success, and when the text speaks against it.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { triage } from '../../../loops/report/triage.ts';
import type { BuiltIn } from '../../../policies/facts/tools.ts';

const CLOCK = { now: new Date('2026-11-21T21:00:00.000Z'), timeZone: 'UTC' };

const ROWS: [what: string, tool: BuiltIn, exitCode: number | null, stderr: string, stdout: string, verdict: string][] =
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
for (const [what, tool, exitCode, stderr, stdout, verdict] of ROWS)
  test(what, () => {
    const judged = triage({ tool, exitCode, signal: null, ending: null, stderr, stdout }, CLOCK).verdict;
    assert.is(`${judged.class}`, verdict, `by ${judged.evidence?.rule}: ${judged.evidence?.text}`);
  });

test.run();
