// Measures how fast texts are selected from, signed and judged: ordinary ones, and the worst known ones.

import { triage } from '../../loops/report/triage.ts';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { createErrorLines } from '../../policies/signature/error-lines.ts';
import { signText } from '../../policies/signature/sign.ts';
import { timesOf } from '../figures/measure.ts';

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
const clock = { now: new Date('2026-11-21T21:00:00.000Z'), timeZone: 'UTC' };

/** How each tool reports the failure that ends a call, in its event stream. */
const FAILED: Record<BuiltIn, (message: string) => object> = {
  gemini: (message) => ({ type: 'result', status: 'error', error: { type: 'unknown', message } }),
  copilot: (message) => ({ type: 'session.error', data: { errorType: 'query', message } }),
  codex: (message) => ({ type: 'turn.failed', error: { message } }),
  claude: (result) => ({ type: 'result', subtype: 'success', is_error: true, result }),
};

const judge = (tool: BuiltIn, told: { stderr: string } | { stdout: string }) =>
  triage({ tool, exitCode: 1, signal: null, ending: null, stderr: '', stdout: '', ...told }, clock);

/** Pieces of hostile texts, which are repeated: they provoke repeated scans, or contain what the rules look for. */
const KNOWN: readonly string[] = [
  `a.¦(¦:¦1-¦1¦@¦\\¦\\"¦\\n¦{"a":¦/¦a/¦1/1/¦a:¦1:¦=¦a=¦a@¦"¦'/¦<¦[¦-¦~¦1 ¦1s ¦1.1.1.1:1/¦fe80::¦://`,
  `http:¦Nov 1 ¦(400) ¦code 1 ¦at 1:¦sk-¦eyJa.¦key=¦"key":"¦-----BEGIN ¦[REDACTED:¦Bearer ¦\x1b[¦\x1b]`,
  `\n¦\r\n¦\r¦a\n¦Error\n¦  at a (b:1:1)\n¦1% ¦Retrying ¦\0¦\u2500¦\ud800¦é¦A¦{¦}¦{"error":¦{"error":{"message":"`,
  `[{¦}]¦\\\\\\"¦status ¦status: 4¦HTTP 429 ¦error code: ¦try again ¦try again in ¦retry after ¦resets at `,
  `resets in 1h ¦Retry-After: ¦Sep 18th, ¦in 1 day 2 hours ¦quota ¦limit reached ¦not ¦not found ¦exceeded your `,
  `Error: ¦ERROR: ¦Error: a\n    ¦[API Error: ¦Attempt 1 failed ¦Reconnecting... ¦ERROR: Reconnecting... 1/5\n`,
  `OpenAI Codex v1\nuser\n¦warning: ¦MCP server ¦● ¦⠋ ¦│ ¦\t¦    ¦\u200b¦\u202e¦💥¦ERR_¦E¦SIGKILL ¦usage `,
  `<html><title>¦</`,
].flatMap((line) => line.split('¦').map((piece) => (piece === '@' ? '9'.repeat(400) : piece)));

/** The distance of two pieces that form a combined one: a prime, so that no two of a kind meet. */
const STRIDE = 37;

/** Each piece alone, each as separate lines, and each with another one. */
const PIECES: readonly string[] = [
  ...new Set([
    ...KNOWN,
    ...KNOWN.map((piece) => `${piece}\n`),
    ...KNOWN.map((piece, i) => `${piece}${KNOWN[(i + STRIDE) % KNOWN.length]}`),
  ]),
];

/** The rows of the table that depend on the machine; the same for both sets. */
export function speedRows(): string[] {
  // First: code that has processed a thousand other texts runs slower, and no command has done that.
  const [selected, signed] = [selectLines, (text: string) => signText(null, text)].map(megabytesPerSecond);
  const hostile = PIECES.map((piece) => grown(piece));
  const worst = TOOLS.flatMap((tool) => [
    { name: `triage of ${tool}, stderr`, ms: worstOf(hostile, (stderr) => judge(tool, { stderr })) },
    {
      name: `triage of ${tool}, event`,
      ms: worstOf(hostile, (text) => judge(tool, { stdout: JSON.stringify(FAILED[tool](text)) })),
    },
  ]);
  const { name, ms } = worst.reduce((a, b) => (b.ms > a.ms ? b : a));
  return [
    `| 100 kB of hostile text, verdict and signature | < 50 ms | ${ms.toFixed(1)} ms (${name}) | |`,
    `| ordinary log text: error lines, signature | ≥ 50 MB/s | ${selected!.toFixed(0)}, ${signed!.toFixed(0)} MB/s | |`,
  ];
}

function selectLines(text: string): string[] {
  const selected = createErrorLines();
  for (const line of text.split('\n')) selected.push(line);
  return selected.lines();
}

// Built from bytes, like a text from a file: a string that is still a tree of pieces would be measured otherwise.
const grown = (piece: string, chars = HOSTILE_CHARS): string =>
  Buffer.from(piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars)).toString();

const megabytesPerSecond = (work: (text: string) => unknown): number =>
  LOG_CHARS / 1000 / median(grown(LOG, LOG_CHARS), work);

/** Each is timed once, and the slowest again, since a pause may have affected any of them. */
function worstOf(hostile: readonly string[], work: (text: string) => unknown): number {
  const timed = hostile.map((text) => ({ text, ms: timeOf(text, work) })).sort((a, b) => b.ms - a.ms);
  return Math.max(...timed.slice(0, 12).map(({ text }) => median(text, work)));
}

const median = (text: string, work: (text: string) => unknown): number =>
  timesOf(Array.from({ length: ROUNDS }, () => timeOf(text, work))).median;

function timeOf(text: string, work: (text: string) => unknown): number {
  const began = performance.now();
  work(text);
  return performance.now() - began;
}
