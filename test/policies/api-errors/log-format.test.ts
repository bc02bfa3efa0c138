// An entry of api_errors.log is read back as it was, whatever stands in it, and what is torn is never taken for one.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiError, FailedCallContext } from '../../../policies/api-errors/entry.ts';
import {
  createParser,
  layOut,
  layOutOutcome,
  type ParsedEntry,
  type Unmeasured,
} from '../../../policies/api-errors/log-format.ts';

const AT = '2026-11-22T10:00:00.000Z';
const CONTEXT: FailedCallContext = {
  v: 1,
  call_id: '20261122100000-0000beef',
  task: 'fix',
  stage: 'codex_review',
  run_id: 'r1',
  tool: 'codex',
  cli_version: '0.101.0',
  model: 'gpt-5.1-codex',
  session_id: 's-1',
  ending: 'exited',
  attempt: '/p/.tmp/task/fix/state/attempts/x',
  cwd: '/p',
  class: 'tooling',
  reason: 'broken_history',
  signature: 'v1:abc',
  source: 'failure',
  rule: 'history-words',
};
const ERROR: Omit<ApiError, 'context'> & { context: typeof CONTEXT } = {
  at: AT,
  context: CONTEXT,
  message: 'status 400',
  stack: null,
  response: { status: 400, code: null, type: null, details: null, headers: null, stderr: [], events: [] },
  before: [],
};
const READ: Unmeasured = { how: 'read', from: 'session_file', file: '/s.jsonl', less: null };
const DATA = '[{"number":1,"prompt":"Say \\u00e4 ✓"}]';

function parse(text: string): ParsedEntry[] {
  const parser = createParser();
  const found: ParsedEntry[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    const bytes = Buffer.byteLength(line);
    found.push(...parser.take({ text: line, bytes, at }));
    at += bytes + 1;
  }
  return [...found, ...parser.end()];
}

const entries = (found: ParsedEntry[]) => found.flatMap((one) => (one.how === 'entry' ? [one] : []));

test('reads for people from top to bottom', () => {
  const text = layOut({ ...ERROR, message: 'two\nlines', stack: 'Error: x\n    at y' }, READ, DATA);
  assert.is(
    text.replace(/^(Context|Response): .*$/gm, '$1: …'),
    `[${AT}] ERROR: task fix, stage codex_review: codex 0.101.0 (gpt-5.1-codex): tooling (broken_history); call 20261122100000-0000beef, session s-1
Context: …
Message: two
  lines
Stack: Error: x
      at y
Response: …
Before: []
---
[${AT}] Conversation History Snapshot
Data: ${DATA}

`,
  );
});

const HOSTILE = [
  'plain',
  '',
  ' leading',
  'two\nlines\n',
  '\n\n---\n',
  `x\n[${AT}] ERROR: task y, stage z\nContext: {}\nMessage: forged`,
  `x\nData: []\n[${AT}] OUTCOME: recovered {"call_id":"x","how":"recovered","why":"forged"}`,
  '---\nStack: s\nMessage: m',
  '  \n  \n',
  '{"error":{"message":"a\\nb"}}',
];

for (const message of HOSTILE)
  test(`comes back whole: ${JSON.stringify(message).slice(0, 40)}`, () => {
    const full = {
      ...ERROR,
      message,
      stack: message,
      response: { ...ERROR.response, details: message, events: [message] },
      before: [{ how: 'said', text: message }],
    };
    const text = layOut(full, READ, DATA) + layOut(ERROR, { how: 'absent', why: message }, 'null');
    const [first, second, ...more] = parse(text);
    assert.equal(more, []);
    const entry = first?.how === 'entry' ? first.entry : null;
    assert.equal(entry, {
      ...full,
      context: { ...CONTEXT, snapshot: { ...READ, bytes: Buffer.byteLength(DATA) } },
    });
    assert.equal(second?.how === 'entry' && second.entry.context.snapshot, { how: 'absent', why: message, bytes: 4 });
    const data = first?.how === 'entry' ? first.data : { at: 0, bytes: 0 };
    assert.is(Buffer.from(text).toString('utf8', data.at, data.at + data.bytes), DATA);
  });

test('shows no character that a terminal obeys', () => {
  const text = layOut({ ...ERROR, message: 'red \u001b[31m\r\u202e', stack: '\u0007' }, READ, DATA);
  assert.not.match(text, /[\u001b\r\u202e\u0007]/);
});

test('cut anywhere it is none, and what follows is read all the same', () => {
  const whole = layOut({ ...ERROR, message: 'two\nlines' }, READ, DATA);
  const next = layOut({ ...ERROR, message: 'the next one' }, READ, DATA);
  const end = whole.indexOf('Data: ') + 'Data: '.length + DATA.length;
  for (let cut = 1; cut < end; cut += 1) {
    const found = parse(`${whole.slice(0, cut)}\n${next}`);
    const kept = entries(found);
    assert.equal([cut, kept.length, kept[0]?.entry.message], [cut, 1, 'the next one']);
    assert.is(found.filter(({ how }) => how === 'invalid').length, 1, `cut at ${cut}`);
  }
});

test('what people write between two is told once, and hides neither', () => {
  const found = parse(`${layOut(ERROR, READ, DATA)}my notes\n  of two lines\n${layOut(ERROR, READ, DATA)}`);
  assert.equal(
    found.map(({ how }) => how),
    ['entry', 'invalid', 'entry'],
  );
});

test('an entry of a newer version is passed over, a field of one is not looked at', () => {
  const newer = layOut({ ...ERROR, context: { ...CONTEXT, v: 2 } }, READ, DATA);
  const wider = layOut(ERROR, READ, DATA).replace('Before: ', 'Weather: fine\nBefore: ');
  assert.equal(
    parse(newer + wider).map(({ how }) => how),
    ['invalid', 'entry'],
  );
});

test('says what became of one', () => {
  const outcome = { at: AT, call_id: 'c', how: 'recovered', why: 'a "retry"' } as const;
  assert.equal(parse(layOutOutcome(outcome)), [{ how: 'outcome', outcome }]);
  assert.equal(parse(`[${AT}] OUTCOME: recovered {"call_id":"c","how":"eaten","why":""}`), [{ how: 'invalid', at: 0 }]);
});

test.run();
