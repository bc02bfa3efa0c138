import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OwnTool, Tool } from '../../../policies/facts/tools.ts';
import { createErrorLines } from '../../../policies/signature/error-lines.ts';
import { fuzz } from '../../rig/fuzz.ts';

function select(text: string): string[] {
  const selected = createErrorLines();
  for (const line of text.split('\n')) selected.push(line);
  return selected.lines();
}

test('keeps the error and drops what surrounds it', () => {
  const stderr = `Warning: 256-color support not detected. Using a terminal with at least 256-color support is recommended.
YOLO mode is enabled. All tool calls will be automatically approved.
Attempt 1 failed with status 500. Retrying with backoff... _ApiError: {"error":{"code":500}}
    at throwErrorIfNotOK (file:///x/chunk-JDPZ4CE3.js:267833:24)
    at async Turn.run (file:///x/chunk-JDPZ4CE3.js:333001:24) {
  status: 500
}
Error when talking to Gemini API Full report available at: /tmp/x.json _ApiError: {"error":{"code":401}}
    at throwErrorIfNotOK (file:///x/chunk-JDPZ4CE3.js:267833:24)
    at async Turn.run (file:///x/chunk-JDPZ4CE3.js:333001:24) {
  status: 401
}
An unexpected critical error occurred:[object Object]
`;
  assert.equal(select(stderr), [
    'Error when talking to Gemini API Full report available at: /tmp/x.json _ApiError: {"error":{"code":401}}',
    '  status: 401',
  ]);
});

test('an indented time of day or date is kept, unlike a stack frame', () => {
  for (const time of ['at 3pm (Europe/Paris).', 'at 15:00 (Europe/Paris).', 'at 2026-11-30 15:00 UTC.'])
    assert.equal(select(`Claude usage limit reached. Your limit will reset \n     ${time}`), [
      'Claude usage limit reached. Your limit will reset',
      `     ${time}`,
    ]);
});

test('drops the statistics that copilot prints', () => {
  const stderr = `
Authentication failed with provider at http://127.0.0.1:1/v1 (HTTP 401).
  Check your COPILOT_PROVIDER_API_KEY.


Changes    +0 -0
Duration   2s
Resume     copilot --resume=9c107400-5815-4d3b-aab9-f03f04949199
`;
  assert.equal(select(stderr), [
    'Authentication failed with provider at http://127.0.0.1:1/v1 (HTTP 401).',
    '  Check your COPILOT_PROVIDER_API_KEY.',
  ]);
});

test('lets nothing of codex through that stands before its first ERROR, whatever the prompt says', () => {
  const stderr = `Reading additional input from stdin...
OpenAI Codex v0.169.0
--------
workdir: /x/failed-error-401
--------
user
fix it: Error 429 Too Many Requests, quota exceeded
warning: Model metadata for \`m\` not found. Defaulting to fallback metadata.
exec
/bin/bash -lc 'false' in /x
 exited 1 in 0ms:
fatal: not a git repository
codex
I got an error: permission denied

ERROR: Reconnecting... 1/5
ERROR: Selected model is at capacity. Please try a different model.
ERROR: Selected model is at capacity. Please try a different model.
tokens used
18
`;
  assert.equal(select(stderr), ['ERROR: Selected model is at capacity. Please try a different model.']);
  assert.equal(select(`${stderr}codex\nAll is well.\ntokens used\n20\n`), []);
});

test('drops the source that a crash echoes', () => {
  const stderr = `/home/jo/app.js:10
    throw new Error('boom');
    ^

Error: boom
    at Object.<anonymous> (/home/jo/app.js:10:11)

Node.js v20.20.2
Traceback (most recent call last):
  File "/home/jo/x.py", line 7, in main
    raise ValueError("bad thing")
ValueError: bad thing`;
  assert.equal(select(stderr), ['Error: boom', 'ValueError: bad thing']);
});

test('never loses the error below the last line of source, however long its first word', () => {
  const error =
    'lib.errorfactory.ThrottlingException: An error occurred: Too many tokens, please wait before trying again.';
  const above = 'Traceback (most recent call last):\n  File "/home/jo/x.py", line 7, in main\n';
  assert.equal(select(`${above}    raise error_class(parsed_response, operation_name)\n${error}`), [error]);
});

test('sees what a terminal shows: no colour, no overwritten text, no frame', () => {
  assert.equal(select('\x1b[31mError: \x1b[1mboom\x1b[0m\r'), ['Error: boom']);
  assert.equal(select('⠋ Working\r⠙ Working\rError: boom\r'), ['Error: boom']);
  assert.equal(select('│ ✖ Error: boom'), ['Error: boom']);
});

test('puts a wrapped line together', () => {
  const line =
    'Failed to get response from the AI model; retried 5 times (total retry wait time: 5.00 seconds) since 500 the server had no room for it';
  for (const width of [60, 80, 100, 120]) {
    assert.equal(select(wrap(line, width)), [line], `wrapped at ${width}`);
  }
});

test('never loses an error in the notice above it', () => {
  const notice = 'warning: something long enough to have been wrapped at the usual width of a line';
  for (const error of [
    'Error: boom',
    'Could not connect',
    'invalid_grant: expired',
    '{"error":{"code":429}}',
    '401 Unauthorized',
  ]) {
    assert.equal(select(`${notice}\n${error}`), [error]);
  }
});

test('keeps each failure once, whatever varies in it', () => {
  const lines = Array.from(
    { length: 500 },
    (_, i) => `2026-11-21T20:16:${10 + (i % 50)}Z Error: pid ${i} refused by 10.0.0.${i % 250}`,
  );
  assert.equal(select(lines.join('\n')), ['Error: pid 0 refused by 10.0.0.0']);
});

const letters = (i: number) => [...String(i)].map((digit) => 'abcdefghij'[Number(digit)]).join('');

test('keeps the first 100 error lines and the last 20, each cut at 2,000 characters', () => {
  const lines = Array.from({ length: 300 }, (_, i) => `Error: no such ${letters(i)} ${'x'.repeat(3000)}`);
  assert.equal(
    select(lines.join('\n')),
    [...lines.slice(0, 100), ...lines.slice(280)].map((line) => line.slice(0, 2000)),
  );
});

test('finds what is new at the end of a flood of errors that say the same', () => {
  const selected = createErrorLines();
  for (let i = 0; i < 12_000; i += 1) selected.push(`Error: telemetry ${i} refused`);
  selected.push('Error: quota exceeded');
  assert.equal(selected.lines(), ['Error: telemetry 0 refused', 'Error: quota exceeded']);
});

test('never loses an error among lines that look like one wrapped sentence', () => {
  const plain = Array.from(
    { length: 60 },
    (_, i) => `compiled the module ${letters(i)} of many with all that it asks for and more`,
  );
  const said = select([...plain, 'and then could not open the file that stands at the very end of it'].join('\n'));
  assert.ok(
    said.some((line) => line.endsWith('at the very end of it')),
    said.at(-1) ?? 'nothing',
  );
});

test('finds the error behind any number of other lines', () => {
  const selected = createErrorLines();
  for (let i = 0; i < 100_000; i += 1) selected.push(`compiled module ${i} of 100000`);
  selected.push('Error: boom');
  assert.equal(selected.lines(), ['Error: boom']);
});

test('gives other lines only if no line bears an error, and notices and retries only as remarks', () => {
  const rows: [text: string, lines: string[], remarks: string[]][] = [
    ['Offline mode is for models at home.\nwarning: x', ['Offline mode is for models at home.'], ['warning: x']],
    ['warning: disk is slow\nReconnecting... 1/5', [], ['warning: disk is slow']],
    ['ERROR: Reconnecting... 1/5\n', [], ['ERROR: Reconnecting... 1/5']],
    ['YOLO mode is enabled.\n45%\n────────\n18\n', [], []],
    ['', [], []],
  ];
  for (const [text, lines, remarks] of rows) {
    const selected = createErrorLines();
    for (const line of text.split('\n')) selected.push(line);
    assert.equal([selected.lines(), selected.remarks()], [lines, remarks], text);
  }
});

const line = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('Error: x', '  at a (b:1:1)', '{', '}', 'OpenAI Codex v1'),
);
fuzz('takes any lines', fc.array(line), (lines) => {
  assert.ok(select(lines.join('\n')).every((kept) => kept.length <= 2000));
});

function wrap(line: string, width: number): string {
  const lines: string[] = [];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

test('a flood of lines of two bytes hides neither the error before it nor the one behind it', () => {
  const flood = 'a\n'.repeat(500_000);
  const kept = select(`Error: the first\n${flood}{\n  "error": { "code": 401, "message": "the last" }\n}\n`);
  assert.equal(kept[0], 'Error: the first');
  assert.equal(kept.at(-1), '{"error":{"code":401,"message":"the last"}}');
});

test('of lines that are too short to say anything the first thousand in a row are read, and the last eight', () => {
  const looked: string[] = [];
  const selected = createErrorLines(null, { note: (fate) => looked.push(fate) });
  for (let i = 0; i < 50_000; i += 1) selected.push(`${i % 10}a`);
  selected.lines();
  assert.is(looked.filter((fate) => fate === 'one of a thousand short lines in a row').length, 50_000 - 1008);
});

test("what stands below codex' header is an echo of codex alone", () => {
  const stderr = 'OpenAI Codex v0.169.0\n401 Unauthorized: Incorrect API key provided';
  const said = (tool: Tool | null) => {
    const selected = createErrorLines(tool);
    for (const line of stderr.split('\n')) selected.push(line);
    return selected.lines();
  };
  assert.equal([said('codex'), said(null)], [[], []]);
  for (const tool of ['gemini', 'mine' as OwnTool] as const)
    assert.equal(said(tool).at(-1), '401 Unauthorized: Incorrect API key provided');
});

test.run();
