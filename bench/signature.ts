// Measures the signature and the redactor: throughput on ordinary text, worst time on hostile text.
// Run it as a bundle or with `node --import tsx bench/signature.ts`; NODE_EXTRA_CA_CERTS has no part in it.

import { createRedactor } from '../policies/redact.ts';
import { createErrorLines } from '../policies/signature/error-lines.ts';
import { normalise } from '../policies/signature/normalise.ts';
import { signText } from '../policies/signature/sign.ts';

const HOSTILE_CHARS = 100_000;
const MEGABYTES = 8;
const ROUNDS = 5;

const LOG = `Loaded cached state in 25 ms, 3 extensions, 12 tools
2026-11-21T20:16:49.882Z connecting to http://127.0.0.1:18080/v1/responses as 01a1ffb2-9d5a-71b2-b2a5-e8392fc06a26
[12:00:01] compiled module 17 of 300 in /home/jo/project/src/app.ts:12:5
    at async Turn.run (file:///home/jo/cli/bundle/chunk-JDPZ4CE3.js:333001:24)
Attempt 1 failed with status 500. Retrying with backoff... _ApiError: {"error":{"code":500,"status":"INTERNAL"}}
The quick brown fox goes on with the work and says nothing that anybody would have to hear about again
`;
const JSONL = `${JSON.stringify({
  type: 'item.completed',
  item: { id: 'item_7', type: 'agent_message', text: 'The token count is ordinary: no password here.\n'.repeat(6) },
})}\n`;

const PIECES = [
  ...[
    'a.',
    '(',
    ':',
    '1-',
    '1',
    '9'.repeat(400),
    '\\',
    '\\"',
    '\\n',
    '{"a":',
    '/',
    'a/',
    '1/1/',
    'a:',
    '1:',
    '=',
    'a=',
  ],
  ...['a@', '"', "'/", '<', '[', '-', '~', '1 ', '1s ', '1.1.1.1:1/', 'fe80::', '://', 'http:', 'Nov 1 ', '(400) '],
  ...['code 1 ', 'at 1:', 'sk-', 'eyJa.', 'key=', '"key":"', '-----BEGIN ', '[REDACTED:', 'Bearer ', '\x1b[', '\x1b]'],
  ...['\n', '\r\n', '\r', 'a\n', 'Error\n', '  at a (b:1:1)\n', '1% ', 'Retrying ', '\0', '\u2500', '\ud800', 'é', 'A'],
];

const { redact } = createRedactor({ env: { A_TOKEN: 'open-sesame', B_SECRET: 'a"b\\c d' }, patterns: [] });

print('ordinary text', 'MB/s', [
  ['select error lines', megabytesPerSecond(LOG, selectLines)],
  ['normalise the whole', megabytesPerSecond(LOG, normalise)],
  ['sign', megabytesPerSecond(LOG, (text) => signText(null, text))],
  ['redact a log', megabytesPerSecond(LOG, redact)],
  ['redact JSONL', megabytesPerSecond(JSONL, redact)],
]);

print(`hostile text, ${HOSTILE_CHARS / 1000} kB, the worst of ${PIECES.length}`, 'ms', [
  worst('select error lines', selectLines),
  worst('normalise the whole', normalise),
  worst('sign', (text) => signText(null, text)),
  worst('redact', redact),
]);

function selectLines(text: string): string[] {
  const selected = createErrorLines();
  for (const line of text.split('\n')) selected.push(line);
  return selected.lines();
}

function megabytesPerSecond(piece: string, work: (text: string) => unknown): number {
  // From bytes, as it comes from a file: a string that is still a tree of pieces would be measured instead.
  const text = Buffer.from(piece.repeat(Math.ceil((MEGABYTES * 1e6) / piece.length))).toString();
  return text.length / 1000 / quickest(() => work(text));
}

function worst(name: string, work: (text: string) => unknown): [string, number, string] {
  const rows = PIECES.map((piece): [string, number, string] => {
    const text = piece.repeat(Math.ceil(HOSTILE_CHARS / piece.length)).slice(0, HOSTILE_CHARS);
    return [name, quickest(() => work(text)), JSON.stringify(piece).slice(0, 20)];
  });
  return rows.reduce((slow, row) => (row[1] > slow[1] ? row : slow));
}

function quickest(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const began = performance.now();
    work();
    return performance.now() - began;
  });
  return Math.min(...times);
}

function print(title: string, unit: string, rows: [string, number, string?][]): void {
  console.log(`${title} (${unit})`);
  for (const [name, figure, note = ''] of rows)
    console.log(`  ${name.padEnd(22)}${figure.toFixed(1).padStart(8)}  ${note}`);
}
