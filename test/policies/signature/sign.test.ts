import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../../policies/facts/tools.ts';
import {
  type Detail,
  explainText,
  type FailedOnce,
  gatherFailures,
  partingOf,
  type SignatureInput,
  sign,
  signText,
} from '../../../policies/signature/sign.ts';

const detail: Detail = { ending: 'exited', class: 'unknown', reason: null, more: [] };
const input = (more: Partial<SignatureInput>): SignatureInput => ({
  tool: 'codex',
  errorLines: [],
  eventText: null,
  detail,
  ...more,
});

test('D3: eleven pairs that differ in volatile text only have equal signatures', () => {
  const pairs: [what: string, one: string, other: string][] = [
    ['ISO time in seconds', '2026-01-02T03:04:05Z Error: boom', '2026-11-12T13:14:15Z Error: boom'],
    ['ISO time in milliseconds', '2026-01-02T03:04:05.678Z Error: boom', '2026-11-12T13:14:15.001Z Error: boom'],
    ['time with a space', '2026-01-02 03:04:05 Error: boom', '2026-11-12 13:14:15 Error: boom'],
    ['clock time', '[03:04:05] Error: boom', '[13:14:15] Error: boom'],
    ['absolute path', "Error: open '/home/jo/a/x.json'", "Error: open '/tmp/run-7/b c/y.json'"],
    ['request id', 'Error: boom (request id: req_011CSHoEeqs5C35K)', 'Error: boom (request id: req_9Zy8Xw7Vu6Ts5Rq4)'],
    [
      'UUID in capitals',
      'Error: thread 01A1FFB2-9D5A-71B2-B2A5-E8392FC06A26',
      'Error: thread 11b2ccd3-8e6b-42c3-a3b6-f9403ad17b37',
    ],
    ['pid', '(node:4880) Error: boom', '(node:171) Error: boom'],
    ['port', 'Error: connect ECONNREFUSED 127.0.0.1:8080', 'Error: connect ECONNREFUSED 127.0.0.1:43121'],
    ['colour', '\x1b[31mError: boom\x1b[0m', 'Error: boom'],
    ['duration', 'Error: timed out after 1500ms', 'Error: timed out after 30.25 seconds'],
  ];
  assert.is(pairs.length, 11);
  for (const [what, one, other] of pairs)
    assert.is(signText('codex', one).signature, signText('codex', other).signature, what);
});

test("D4: two tools' empty stderr never meet", () => {
  const empty = TOOLS.map((tool) => sign(input({ tool })).signature);
  const texts = ['', '\n\n', '\x1b[0m', '45%\r100%\r', '--------', 'Reading additional input from stdin...'];
  for (const text of texts) empty.push(...TOOLS.map((tool) => signText(tool, text).signature));
  assert.is(new Set(empty).size, TOOLS.length);
});

test('failures that differ in one telling word have different signatures', () => {
  const texts = [
    'Error: unexpected status 401 Unauthorized',
    'Error: unexpected status 403 Forbidden',
    'Error: unexpected status 429 Too Many Requests',
    'Error: request failed with status 500',
    'Error: request failed with status 503',
    'Error: connect ECONNREFUSED 127.0.0.1:9',
    'Error: connect ECONNRESET 127.0.0.1:9',
    'Error: exited with code 1',
    'Error: exited with code 137',
    'Error: failed (code -32600)',
    'Error: failed (code -32602)',
    'Error: quota exceeded: requests per day',
    'Error: quota exceeded: requests per minute',
    'Error: limit reached, resets in 5s',
    'Error: limit reached, resets in 8h44m',
    '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}',
    '{"error":{"code":429,"status":"UNAVAILABLE"}}',
    'Error: killed by SIGKILL',
    'Error: killed by SIGSEGV',
  ];
  const signatures = texts.map((text) => signText(null, text));
  assert.is(new Set(signatures.map(({ signature }) => signature)).size, texts.length);
});

test('is the first source that says anything: error lines, event, other lines, detail', () => {
  const rows: [input: Partial<SignatureInput>, source: string, normalised: string][] = [
    [{ errorLines: ['Error: boom'], eventText: 'bang failed' }, 'stderr', 'boom'],
    [{ errorLines: ['Hello there'], eventText: 'bang failed' }, 'event', 'bang failed'],
    [{ errorLines: ['Hello there'] }, 'stderr', 'hello there'],
    [{ errorLines: ['Error: 42 /a/b'] }, 'detail', 'tool=codex ending=exited class=unknown reason=null'],
    [{ eventText: '  ' }, 'detail', 'tool=codex ending=exited class=unknown reason=null'],
    [{ eventText: 'HTTP 401' }, 'event', 'http <code:401>'],
    [{ eventText: 'boom failed\n    at a (b.js:1:1)' }, 'event', 'boom failed'],
  ];
  for (const [more, source, normalised] of rows) {
    const signed = sign(input(more));
    assert.equal([signed.source, signed.normalised], [source, normalised]);
  }
});

test('tells gate failures apart by what was missing or touched', () => {
  const gate = (reason: string, ...more: string[]) =>
    sign(input({ detail: { ending: 'exited', class: 'contract_violation', reason, more } })).signature;
  const signatures = [
    gate('missing', 'Risks'),
    gate('missing', 'Tests'),
    gate('missing', 'Risks', 'Tests'),
    gate('scope', 'src/**'),
    gate('scope', 'docs/**'),
  ];
  assert.is(new Set(signatures).size, signatures.length);
});

test('is v1: and the SHA-256 of at most 500 characters', () => {
  const { signature, normalised } = signText(null, `Error: ${'no such thing '.repeat(100)}`);
  assert.match(signature, /^v1:[0-9a-f]{64}$/);
  assert.is(normalised.length, 500);
  assert.is(signText(null, `Error: ${'no such thing '.repeat(100)} at all`).signature, signature);
  assert.is(
    signText(null, 'Error: boom').signature,
    'v1:81f52337ebb4cb1669bb802c708807dde0519d15cb102a6313d26ad5cd821713',
    'a change of the normal form needs a new version',
  );
});

test('does not depend on the task at hand', () => {
  const about = (taskId: string) =>
    sign(input({ errorLines: [`Error: ${taskId} failed in .tmp/task/${taskId}/outputs`], volatile: { taskId } }));
  assert.is(about('fix-login').signature, about('demo-2').signature);
  assert.is(about('demo-2').normalised, 'failed in');
});

const inTask = (taskId: string, line: string) => sign(input({ errorLines: [line], volatile: { taskId } })).normalised;

test('a task whose id is an ordinary word takes no word out of an error', () => {
  const rows: [taskId: string, line: string, normalised: string][] = [
    ['api', 'Error: Incorrect API key provided', 'incorrect api key provided'],
    ['docs', 'Error: Incorrect API key provided', 'incorrect api key provided'],
    ['api', 'Error: cannot open /a/task/api/x in .tmp/task/api: not found', 'cannot open in not found'],
    ['api', 'Error: "api" task failed', 'task failed'],
    ['api', 'Error: "api" key failed', 'api key failed'],
    ['api', 'Error: task "api" failed', 'task failed'],
    ['api', 'Error: {"task":"api","code":401}', 'code <code:401> task'],
    ['api', 'Error: task=api failed', 'task failed'],
    ['api', 'Error: task/api failed', 'task failed'],
    ['api', 'Error: [task: API] failed', 'task failed'],
    ['api', 'Error: no task. API failed', 'no task api failed'],
    ['fix-api', 'Error: stage of Fix-API failed', 'stage of failed'],
    ['api2', 'Error: stage of api2 failed', 'stage of failed'],
    ['api', 'Error: stage of apis failed', 'stage of apis failed'],
  ];
  for (const [taskId, line, normalised] of rows) assert.is(inTask(taskId, line), normalised, `${taskId}: ${line}`);
});

test('explains which class ate what', () => {
  const { explained, normalised } = explainText(null, 'Error: 401 at http://x.y/z, pid 77 of pid 78, key sk-fake-1234');
  assert.is(normalised, '<code:401> at pid of pid key');
  assert.equal(explained?.eaten, [
    { class: 'secret', count: 1, put: [], pieces: ['<secret>'] },
    { class: 'url', count: 1, put: [], pieces: ['http://x.y/z'] },
    { class: 'code', count: 1, put: ['<code:401>'], pieces: ['401'] },
    { class: 'level', count: 1, put: [], pieces: ['Error'] },
    { class: 'number', count: 2, put: [], pieces: ['77', '78'] },
  ]);
});

test('says where two normal forms part, and by which class', () => {
  const steps = (text: string) => explainText(null, text).explained?.steps ?? [];
  const rows: [one: string, other: string, after: string, sides: (string | null)[]][] = [
    ['Error: status 401', 'Error: status 403', 'status', ['code <code:401> "401"', 'code <code:403> "403"']],
    ['Error: no key /a/b', 'Error: no keys', 'no', ['kept key "key"', 'kept keys "keys"']],
    ['Error: no key', 'Error: no key at all', 'no key', [null, 'kept at "at"']],
  ];
  for (const [one, other, after, sides] of rows) {
    const parting = partingOf(steps(one), steps(other));
    assert.is(parting?.after, after);
    assert.equal(
      parting?.sides.map((side) => side && `${side.class ?? 'kept'} ${side.put} "${side.piece}"`),
      sides,
    );
  }
  assert.is(partingOf(steps('Error: no key /a'), steps('Error: no key /b/c:3')), null);
});

test('a code alone is the name of a failure, a number alone is none', () => {
  const [one, other, number] = ['Error: 503', 'Error: 404', '42'].map((text) => signText('codex', text));
  assert.equal([one!.source, other!.source, number!.source], ['stderr', 'stderr', 'detail']);
  assert.is.not(one!.signature, other!.signature);
});

// Which failures of many tasks are told as one.

const failed = (at: number, more: Partial<FailedOnce>): FailedOnce & { at: number } => ({
  at,
  signature: null,
  class: null,
  reason: null,
  ...more,
});

test('by signature, else by class and reason, else by message; the most frequent first', () => {
  const all = [
    failed(0, { class: 'auth', reason: 'a' }),
    failed(1, { message: 'auth a' }),
    failed(2, { class: 'auth', reason: 'a', signature: 'v1:s' }),
    failed(3, { class: 'tooling', reason: 'b', signature: 'v1:s' }),
    failed(4, { class: 'auth', reason: 'b' }),
    failed(5, { class: 'auth', reason: 'a', message: 'other words' }),
    failed(6, { class: 'quota', reason: 'c', signature: 'v1:s' }),
  ];
  assert.equal(
    gatherFailures(all).map((same) => same.map(({ at }) => at)),
    [[2, 3, 6], [0, 5], [1], [4]],
  );
});

test.run();
