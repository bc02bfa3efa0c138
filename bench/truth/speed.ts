// How fast texts are selected from, signed, judged and redacted: ordinary ones, and the worst that are known.

import { triage } from '../../loops/triage/triage.ts';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { normalise } from '../../policies/normal-form/normalise.ts';
import { createRedactor } from '../../policies/redact/create-redactor.ts';
import { signText } from '../../policies/signature/sign.ts';
import { createErrorLines } from '../../policies/stderr/error-lines.ts';
import { PIECES } from './pieces.ts';

/** MB/s on ordinary text, median. */
export type Throughput = Record<string, number>;

/** ms for 100 kB, and the piece or the case that takes longest. */
export type Worst = Record<string, { ms: number; of: string }>;

export const HOSTILE_CHARS = 100_000;
const MEGABYTES = 8;
const ROUNDS = 5;

const LOG = `Loaded cached state in 25 ms, 3 extensions, 12 tools
2026-11-21T20:16:49.882Z connecting to http://127.0.0.1:18080/v1/responses as 01a1ffb2-9d5a-71b2-b2a5-e8392fc06a26
[12:00:01] compiled module 17 of 300 in /home/jo/project/src/app.ts:12:5
    at async Turn.run (file:///home/jo/cli/bundle/chunk-JDPZ4CE3.js:333001:24)
Attempt 1 failed with status 500. Retrying with backoff... _ApiError: {"error":{"code":500,"status":"INTERNAL"}}
The quick brown fox goes on with the work and says nothing that anybody would have to hear about again
`;
/** Lines of which no two are the same, as where each bears its time: nothing that was read before helps. */
const differing = (chars: number): string => {
  const rows = LOG.trimEnd().split('\n');
  let text = '';
  for (let i = 0; text.length < chars; i += 1) text += `${rows[i % rows.length]} ${i.toString(36)} and ${i % 977}\n`;
  return text;
};
/** What is measured on them: 8 MB each. */
export const LOG_TEXTS = {
  ordinary: (): string => long(LOG),
  differing: (): string => differing(MEGABYTES * 1e6),
};
const JSONL = `${JSON.stringify({
  type: 'item.completed',
  item: { id: 'item_7', type: 'agent_message', text: 'The token count is ordinary: no password here.\n'.repeat(6) },
})}\n`;

const { redact } = createRedactor({ env: { A_TOKEN: 'open-sesame', B_SECRET: 'a"b\\c d' }, patterns: [] });
const clock = { now: new Date('2026-11-21T21:00:00.000Z'), timeZone: 'UTC' };

const WORKS: Record<string, (text: string) => unknown> = {
  'select error lines': selectLines,
  'normalise the whole': (text) => normalise(text),
  sign: (text) => signText(null, text),
  redact,
};

/** How each tool tells the failure that ends a call, in its event stream. */
const FAILED: Record<BuiltIn, (message: string) => object> = {
  gemini: (message) => ({ type: 'result', status: 'error', error: { type: 'unknown', message } }),
  copilot: (message) => ({ type: 'session.error', data: { errorType: 'query', message } }),
  codex: (message) => ({ type: 'turn.failed', error: { message } }),
  claude: (result) => ({ type: 'result', subtype: 'success', is_error: true, result }),
};

const judge = (tool: BuiltIn, told: { stderr: string } | { stdout: string }) =>
  triage({ tool, exitCode: 1, signal: null, ending: null, stderr: '', stdout: '', ...told }, clock);

/** The verdict and the signature, by tool and by where it speaks. */
const JUDGING: Record<string, (text: string) => unknown> = Object.fromEntries(
  TOOLS.flatMap((tool) => [
    [`triage of ${tool}, stderr`, (stderr: string) => judge(tool, { stderr })],
    [`triage of ${tool}, event`, (text: string) => judge(tool, { stdout: JSON.stringify(FAILED[tool](text)) })],
  ]),
);

/** To be asked before all else: code that has seen a thousand other texts runs slower, and no command of ours has. */
export const measureThroughput = (): Throughput => ({
  ...Object.fromEntries(Object.entries(WORKS).map(([name, work]) => [name, megabytesPerSecond(LOG, work)])),
  'redact JSONL': megabytesPerSecond(JSONL, redact),
  'select error lines, no two the same': megabytesPerSecond(LOG_TEXTS.differing(), selectLines),
});

/** @param texts the corpus' own, each repeated until it is as long. */
export function measureWorst(texts: readonly { id: string; tool: BuiltIn; text: string }[]): Worst {
  const hostile = PIECES.map((piece) => ({ id: JSON.stringify(piece).slice(0, 24), text: grown(piece) }));
  const own = TOOLS.map((tool) => ({ tool, texts: texts.filter((one) => one.tool === tool && one.text !== '') }));
  return {
    ...Object.fromEntries(
      Object.entries({ ...WORKS, ...JUDGING }).map(([name, work]) => [name, worstOf(hostile, work)]),
    ),
    ...Object.fromEntries(
      own
        .filter((one) => one.texts.length > 0)
        .map(({ tool, texts }) => [
          `triage of ${tool}, the corpus' texts`,
          worstOf(
            texts.map(({ id, text }) => ({ id, text: grown(`${text}\n`) })),
            (stderr) => judge(tool, { stderr }),
          ),
        ]),
    ),
  };
}

function selectLines(text: string): string[] {
  const selected = createErrorLines();
  selected.pushAll(text);
  return selected.lines();
}

const long = (piece: string): string => piece.repeat(Math.ceil((MEGABYTES * 1e6) / piece.length));
// From bytes, as it comes from a file: a string that is still a tree of pieces would be measured instead.
const flat = (text: string): string => Buffer.from(text).toString();
const grown = (piece: string): string =>
  flat(piece.repeat(Math.ceil(HOSTILE_CHARS / piece.length)).slice(0, HOSTILE_CHARS));

function megabytesPerSecond(piece: string, work: (text: string) => unknown): number {
  const text = flat(long(piece));
  return text.length / 1000 / median(text, work);
}

/** Each is timed once, and those that took longest again, since a pause may have hit the one or the other. */
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
