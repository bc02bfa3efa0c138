// Measures how fast texts are selected from, signed, classified and redacted: ordinary ones, and the worst known ones.

import { triage } from '../../loops/triage/triage.ts';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { createRedactor } from '../../policies/redact/create-redactor.ts';
import { signText } from '../../policies/signature/sign.ts';
import { createErrorLines } from '../../policies/stderr/error-lines.ts';
import { PIECES } from './pieces.ts';

/** MB/s on ordinary text, median: error lines, signature. */
export type Throughput = Record<'select' | 'sign', number>;

/** ms for 100 kB, and the piece or the case that takes longest. */
export type Worst = Record<string, { ms: number; of: string }>;

const HOSTILE_CHARS = 100_000;
const LOG_CHARS = 8_000_000;
const ROUNDS = 5;

const LOG = `Loaded cached state in 25 ms, 3 extensions, 12 tools
2026-11-21T20:16:49.882Z connecting to http://127.0.0.1:18080/v1/responses as 01a1ffb2-9d5a-71b2-b2a5-e8392fc06a26
[12:00:01] compiled module 17 of 300 in /home/jo/project/src/app.ts:12:5
    at async Turn.run (file:///home/jo/cli/bundle/chunk-JDPZ4CE3.js:333001:24)
Attempt 1 failed with status 500. Retrying with backoff... _ApiError: {"error":{"code":500,"status":"INTERNAL"}}
The quick brown fox goes on with the work and says nothing that anybody would have to hear about again
`;
const { redact } = createRedactor({ env: { A_TOKEN: 'open-sesame', B_SECRET: 'a"b\\c d' }, patterns: [] });
const clock = { now: new Date('2026-11-21T21:00:00.000Z'), timeZone: 'UTC' };

const WORKS: Record<string, (text: string) => unknown> = {
  'select error lines': selectLines,
  sign: (text) => signText(null, text),
  redact,
};

/** How each tool reports the failure that ends a call, in its event stream. */
const FAILED: Record<BuiltIn, (message: string) => object> = {
  gemini: (message) => ({ type: 'result', status: 'error', error: { type: 'unknown', message } }),
  copilot: (message) => ({ type: 'session.error', data: { errorType: 'query', message } }),
  codex: (message) => ({ type: 'turn.failed', error: { message } }),
  claude: (result) => ({ type: 'result', subtype: 'success', is_error: true, result }),
};

const judge = (tool: BuiltIn, told: { stderr: string } | { stdout: string }) =>
  triage({ tool, exitCode: 1, signal: null, ending: null, stderr: '', stdout: '', ...told }, clock);

/** The verdict and the signature, by tool and by output stream. */
const JUDGING: Record<string, (text: string) => unknown> = Object.fromEntries(
  TOOLS.flatMap((tool) => [
    [`triage of ${tool}, stderr`, (stderr: string) => judge(tool, { stderr })],
    [`triage of ${tool}, event`, (text: string) => judge(tool, { stdout: JSON.stringify(FAILED[tool](text)) })],
  ]),
);

/** Called first: code that has processed a thousand other texts runs slower, and no command has done that. */
export const measureThroughput = (): Throughput => ({
  select: megabytesPerSecond(selectLines),
  sign: megabytesPerSecond((text) => signText(null, text)),
});

export function measureWorst(): Worst {
  const hostile = PIECES.map((piece) => ({ id: JSON.stringify(piece).slice(0, 24), text: grown(piece) }));
  return Object.fromEntries(
    Object.entries({ ...WORKS, ...JUDGING }).map(([name, work]) => [name, worstOf(hostile, work)]),
  );
}

function selectLines(text: string): string[] {
  const selected = createErrorLines();
  selected.pushAll(text);
  return selected.lines();
}

// Built from bytes, like a text from a file: a string that is still a tree of pieces would be measured otherwise.
const grown = (piece: string, chars = HOSTILE_CHARS): string =>
  Buffer.from(piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars)).toString();

const megabytesPerSecond = (work: (text: string) => unknown): number =>
  LOG_CHARS / 1000 / median(grown(LOG, LOG_CHARS), work);

/** Each is timed once, and the slowest again, since a pause may have affected any of them. */
function worstOf(hostile: readonly { id: string; text: string }[], work: (text: string) => unknown) {
  const timed = hostile.map((one) => ({ ...one, ms: timeOf(one.text, work) })).sort((a, b) => b.ms - a.ms);
  const again = timed.slice(0, 12).map(({ id, text }) => ({ of: id, ms: median(text, work) }));
  return again.reduce((slow, one) => (one.ms > slow.ms ? one : slow));
}

function median(text: string, work: (text: string) => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => timeOf(text, work));
  return times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!;
}

function timeOf(text: string, work: (text: string) => unknown): number {
  const began = performance.now();
  work(text);
  return performance.now() - began;
}
