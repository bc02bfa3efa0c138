// The workflow of a distillation, sentence by sentence, as far as it is decided without a disk or a service.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { anomalyOf, LOOP_SIMILARITY, SHORT_CHARS, trigramSimilarity } from '../../../policies/distill/anomalies.ts';
import { budgetReached, NOTHING_SPENT, tokensOf } from '../../../policies/distill/budgets.ts';
import { DEFAULT_DISTILL_MODEL, DISTILL_MODELS, endedModelNote, turnPrice } from '../../../policies/distill/models.ts';
import { ANOMALY_PAUSES } from '../../../policies/distill/pauses.ts';
import {
  classifyFailure,
  isFileLost,
  MAX_TRIES,
  type ServiceRefusal,
  type TurnAnswer,
  waitAfter,
} from '../../../policies/distill/service.ts';
import {
  DEFAULT_END_MARKER,
  FIRST_INSTRUCTION,
  filePart,
  firstContent,
  NEXT_CONTENT,
  reachesEnd,
  titleOf,
  withFile,
  withoutMarker,
} from '../../../policies/distill/turn-contents.ts';

const NOW = new Date('2026-11-23T12:00:00Z');
const LONG = 'Plato tells of a cave, of men in chains, and of shadows on a wall. '.repeat(5);

const said = (text: string, more: Partial<TurnAnswer> = {}): TurnAnswer => ({
  content: { role: 'model', parts: [{ text }] },
  text,
  finishReason: 'STOP',
  blockReason: null,
  usage: null,
  modelVersion: 'gemini-2.5-pro',
  ...more,
});

const CONTEXT = { before: null, modelVersion: null, endMarker: DEFAULT_END_MARKER, off: new Set<never>() };

const refusal = (more: Partial<ServiceRefusal>): ServiceRefusal => ({
  message: 'no',
  status: null,
  retryAfterMs: null,
  body: '',
  offline: false,
  ...more,
});

const google = (code: number, status: string, message: string) =>
  refusal({ status: code, body: JSON.stringify({ error: { code, status, message } }), message });

test('Models: gemini-2.5-pro (default), gemini-2.5-flash, gemini-2.5-flash-lite', () => {
  assert.is(DEFAULT_DISTILL_MODEL, 'gemini-2.5-pro');
  assert.equal(Object.keys(DISTILL_MODELS), ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-lite']);
});

test('a model past its date has a note with the name of its successor', () => {
  assert.is(endedModelNote('gemini-2.5-pro', NOW), null);
  assert.match(endedModelNote('gemini-2.5-pro', new Date('2026-12-01T00:00:00Z'))!, /gemini-3\.8-flash may answer in/);
  assert.is(endedModelNote('gemini-9-any', new Date('2099-12-01T00:00:00Z')), null);
});

test('First turn: a single user message that includes the uploaded file part and an instruction', () => {
  const file = filePart({ uri: 'https://service/files/1', mimeType: 'application/pdf' });
  assert.equal(firstContent([file]), {
    role: 'user',
    parts: [
      { fileData: { fileUri: 'https://service/files/1', mimeType: 'application/pdf' } },
      { text: FIRST_INSTRUCTION },
    ],
  });
});

test('Subsequent turns: a single user message with only "Next". The file is not reattached', () => {
  assert.equal(NEXT_CONTENT, { role: 'user', parts: [{ text: 'Next' }] });
});

test('Rewrite any prior user message file parts in history: fileData and legacy file_data shapes', () => {
  const model = { role: 'model' as const, parts: [{ text: 'x', thoughtSignature: 's', fileData: { fileUri: 'old' } }] };
  const history = [
    { role: 'user' as const, parts: [{ fileData: { fileUri: 'old', mimeType: 'a/b' } }, { text: 'go' }] },
    model,
    { role: 'user' as const, parts: [{ file_data: { file_uri: 'old', mime_type: 'a/b' } }] },
  ];
  const kept = JSON.stringify(history);
  const fresh = withFile(history, { uri: 'new', mimeType: 'application/pdf' });
  assert.equal(fresh[0]!.parts, [{ fileData: { fileUri: 'new', mimeType: 'application/pdf' } }, { text: 'go' }]);
  assert.equal(fresh[2]!.parts, [{ file_data: { file_uri: 'new', mime_type: 'application/pdf' } }]);
  assert.is(fresh[1], model, 'what a model said goes back as it came');
  assert.is(JSON.stringify(history), kept);
});

for (const [what, failure] of Object.entries({
  '429': google(429, 'RESOURCE_EXHAUSTED', 'Too many requests'),
  '500': google(500, 'INTERNAL', 'An internal error has occurred'),
  '502': refusal({ status: 502, body: '<html>Bad gateway</html>' }),
  '503': google(503, 'UNAVAILABLE', 'The model is overloaded'),
  'a wait that is asked for': refusal({ status: 409, retryAfterMs: 1000, body: 'later' }),
  'no answer in time': refusal({ message: 'The operation timed out' }),
}))
  test(`Transient errors (429/5xx/Retry-After/RetryInfo): automatically retried: ${what}`, () =>
    assert.equal(classifyFailure(failure, NOW).does, { means: 'retry', forever: false }));

test('Network offline: treated as transient; retried until pause/stop', () => {
  const judged = classifyFailure(refusal({ offline: true, message: 'connect ECONNREFUSED 127.0.0.1:9' }), NOW);
  assert.equal(judged.does, { means: 'retry', forever: true });
  const terms = { attempt: MAX_TRIES * 100, autoWaitMs: 60_000, now: NOW, random: () => 0.5 };
  assert.is(waitAfter(judged, terms).how, 'wait');
});

for (const message of [
  'nothing was heard of service for 280 s',
  'the line to service broke (ECONNRESET)',
  'the answer broke off before its end',
])
  test(`a line that broke after something was sent is bounded, for it may have been paid: ${message}`, () => {
    const judged = classifyFailure(refusal({ offline: true, message }), NOW);
    assert.ok(judged.maybePaid);
    const terms = { autoWaitMs: 60_000, now: NOW, random: () => 0.5 };
    assert.is(waitAfter(judged, { ...terms, attempt: MAX_TRIES - 1 }).how, 'wait');
    const last = waitAfter(judged, { ...terms, attempt: MAX_TRIES });
    assert.is(last.how === 'pause' && last.reason, 'retries');
  });

for (const [what, failure, errorClass] of [
  ['a wrong key', google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'), 'auth'],
  ['no permission', google(403, 'PERMISSION_DENIED', 'Permission denied on resource project x'), 'auth'],
  ['no such model', google(404, 'NOT_FOUND', 'models/gemini-9 is not found for API version v1beta'), 'tooling'],
  ['a bad request', google(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received'), 'tooling'],
  ['no service here', google(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use'), 'auth'],
] as const)
  test(`Non-transient errors: the run pauses: ${what}`, () => {
    const judged = classifyFailure(failure, NOW);
    assert.equal(judged.does, { means: 'pause' }, JSON.stringify(judged.verdict));
    assert.is(judged.verdict.class, errorClass);
    assert.ok(judged.evidence.includes(failure.message), judged.evidence);
  });

for (const failure of [
  google(400, 'FAILED_PRECONDITION', 'The File abc is not in an ACTIVE state and usage is not allowed.'),
  google(400, 'INVALID_ARGUMENT', 'Unsupported file uri: https://service/files/1'),
  google(403, 'PERMISSION_DENIED', 'You do not have permission to access the File abc or it may not exist.'),
  google(404, 'NOT_FOUND', 'File files/abc not found'),
])
  test(`Invalid File Reference: errors like FAILED_PRECONDITION or "Unsupported file uri": ${failure.message}`, () => {
    assert.ok(isFileLost(failure));
    assert.equal(classifyFailure(failure, NOW).does, { means: 'file_lost' });
  });

test('RetryInfo/Retry-After headers are honored when provided; fallback is exponential backoff with jitter', () => {
  const terms = { attempt: 1, autoWaitMs: 60_000, now: NOW, random: () => 0.5 };
  const asked = classifyFailure(refusal({ status: 503, retryAfterMs: 7000 }), NOW);
  assert.equal(waitAfter(asked, terms), { how: 'wait', waitMs: 7000 });
  const told = refusal({
    status: 429,
    body: '{"error":{"code":429,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"9s"}]}}',
  });
  assert.equal(waitAfter(classifyFailure(told, NOW), terms), { how: 'wait', waitMs: 9000 });
  const bare = classifyFailure(refusal({ status: 503 }), NOW);
  assert.equal(waitAfter(bare, terms), { how: 'wait', waitMs: 1000 });
  assert.equal(waitAfter(bare, { ...terms, attempt: 3 }), { how: 'wait', waitMs: 4000 });
});

test('a wait longer than --auto-wait pauses, and so do retries without end', () => {
  const terms = { attempt: 1, autoWaitMs: 60_000, now: NOW, random: () => 0.5 };
  const asked = classifyFailure(refusal({ status: 429, retryAfterMs: 61_000 }), NOW);
  assert.equal(waitAfter(asked, terms), {
    how: 'pause',
    reason: 'reset',
    evidence: 'the service asks to wait until 2026-11-23T12:01:01.000Z: HTTP 429: no',
  });
  const failing = waitAfter(classifyFailure(refusal({ status: 503 }), NOW), { ...terms, attempt: MAX_TRIES });
  assert.is(failing.how === 'pause' && failing.reason, 'retries');
});

test('a request that was refused, or that nobody received, was not paid; one that broke off may have been', () => {
  assert.is(classifyFailure(google(503, 'UNAVAILABLE', 'x'), NOW).maybePaid, false);
  assert.is(classifyFailure(refusal({ offline: true, message: 'getaddrinfo ENOTFOUND x' }), NOW).maybePaid, false);
  assert.is(classifyFailure(refusal({ offline: true, message: 'read ECONNRESET' }), NOW).maybePaid, true);
  assert.is(classifyFailure(refusal({ message: 'The operation timed out' }), NOW).maybePaid, true);
});

test('Completion: when the latest assistant text ends with the end marker (default <end_of_book>)', () => {
  assert.is(DEFAULT_END_MARKER, '<end_of_book>');
  assert.ok(reachesEnd(`${LONG}\n<end_of_book>\n`, DEFAULT_END_MARKER));
  assert.not(reachesEnd(`He wrote <end_of_book> in the middle. ${LONG}`, DEFAULT_END_MARKER));
  assert.is(withoutMarker('It ends.\n<end_of_book>\n', DEFAULT_END_MARKER), 'It ends.');
});

test('the end marker is a literal, whatever signs it has', () => {
  assert.ok(reachesEnd('so it ends. [THE (END)+]', '[THE (END)+]'));
  assert.not(reachesEnd('so it ends. TTTT', '[T]+'));
  assert.ok(reachesEnd('so it ends. <end>', '<end> '), 'older checkpoints may hold one with white space');
  assert.is(withoutMarker('so it ends. <end>\n', ' <end> '), 'so it ends.');
  assert.not(reachesEnd('so it ends.', ' '));
});

const ANOMALIES: Record<keyof typeof ANOMALY_PAUSES, readonly [TurnAnswer, RegExp][]> = {
  refusal: [
    [said(`I'm sorry, but I can't continue with this book. ${LONG}`), /begins like a refusal: "I'm sorry/],
    [said(`I cannot provide the next section. ${LONG}`), /begins like a refusal/],
  ],
  short: [
    [said('Done.'), /^it has 5 characters, fewer than 200$/],
    [said(''), /^the answer is empty$/],
  ],
  loop: [[said(LONG), /^it is 100 % the section before it/]],
  control_tokens: [[said(`${LONG}<|im_end|>${LONG}`), /<\|im_end\|>/]],
  finish_reason: [
    [said(LONG, { finishReason: 'MAX_TOKENS' }), /MAX_TOKENS/],
    [said('', { finishReason: 'SAFETY', content: null }), /SAFETY/],
    [said('', { finishReason: null, blockReason: 'PROHIBITED_CONTENT', content: null }), /PROHIBITED_CONTENT/],
  ],
  model_changed: [
    [said(LONG, { modelVersion: 'gemini-3.8-flash' }), /gemini-3\.8-flash answered, and gemini-2\.5-pro/],
  ],
};

for (const [name, cases] of Object.entries(ANOMALIES))
  for (const [answer, evidence] of cases)
    test(`Anomaly Pauses (configurable): ${name} names its evidence, and can be switched off: ${evidence}`, () => {
      const context = { ...CONTEXT, before: LONG, modelVersion: 'gemini-2.5-pro' };
      const others = Object.keys(ANOMALY_PAUSES).filter((one) => one !== name) as (keyof typeof ANOMALY_PAUSES)[];
      const found = anomalyOf(answer, { ...context, off: new Set(others) });
      assert.is(found?.name, name);
      assert.match(found!.evidence, evidence);
      const off = new Set(Object.keys(ANOMALY_PAUSES) as (keyof typeof ANOMALY_PAUSES)[]);
      const left = anomalyOf(answer, { ...context, off });
      assert.is(
        left?.evidence ?? null,
        answer.text === '' ? 'the answer is empty' : null,
        'no history holds an empty one',
      );
    });

for (const [what, text] of Object.entries({
  'a section that is long enough': LONG,
  'one of code': '```js\nlet a = 1;\n```',
  'one that tells of a refusal': `Socrates said: I'm sorry, but I cannot flee. ${LONG}`,
  'a short last one, with the end marker': 'And so it ends. <end_of_book>',
  'one that quotes a token in code': `${LONG}\n\`\`\`\n<|im_end|>\n\`\`\`\n`,
}))
  test(`no anomaly: ${what}`, () => assert.is(anomalyOf(said(text), CONTEXT), null));

test('Very short non-code output (< 200 chars), High similarity to prior assistant message (> 0.9 trigram sim)', () => {
  assert.is(SHORT_CHARS, 200);
  assert.is(LOOP_SIMILARITY, 0.9);
  assert.is(anomalyOf(said('x'.repeat(200)), CONTEXT), null);
  assert.is(anomalyOf(said('x'.repeat(199)), CONTEXT)?.name, 'short');
  assert.is(trigramSimilarity('abcd', 'abcd'), 1);
  assert.is(trigramSimilarity('abcd', 'wxyz'), 0);
});

const BUDGETS = { maxSeconds: null, maxTokens: null, maxUsd: null };

test('Time budget (seconds): stop with "time budget reached"', () => {
  assert.match(budgetReached({ ...BUDGETS, maxSeconds: 5 }, NOTHING_SPENT, 5000)!, /^time budget reached/);
  assert.is(budgetReached({ ...BUDGETS, maxSeconds: 5 }, NOTHING_SPENT, 4999), null);
});

test('Token budget (rough length/4 estimate): stop with "token budget reached (est)"', () => {
  assert.equal(tokensOf(null, 4001), { tokens: 1001, estimated: true });
  assert.equal(tokensOf({ input: 10, output: 5, thoughts: 2, cached: 8 }, 4001), { tokens: 17, estimated: false });
  const spent = { ...NOTHING_SPENT, tokens: 1000 };
  assert.match(
    budgetReached({ ...BUDGETS, maxTokens: 1000 }, { ...spent, estimated: 9 }, 0)!,
    /^token budget reached \(est\)/,
  );
  assert.match(budgetReached({ ...BUDGETS, maxTokens: 1000 }, spent, 0)!, /^token budget reached: 1000 of 1000$/);
});

test('a money budget counts what a price is known of, and says what it is not', () => {
  const usage = { input: 100_000, output: 10_000, thoughts: 0, cached: 0 };
  assert.is(turnPrice('gemini-2.5-pro', usage, {}), 0.225);
  assert.is(turnPrice('gemini-2.5-pro', { ...usage, input: 300_000 }, {}), 0.9);
  assert.is(turnPrice('mine', usage, {}), null);
  assert.is(turnPrice('mine', usage, { mine: { input: 1, output: 1 } }), 0.11);
  assert.match(
    budgetReached({ ...BUDGETS, maxUsd: 0.2 }, { ...NOTHING_SPENT, usd: 0.2, unpriced: 1 }, 0)!,
    /1 answers without a known price$/,
  );
  const spent = { ...NOTHING_SPENT, usd: 0.1, unpriced: 1 };
  assert.match(budgetReached({ ...BUDGETS, maxUsd: 1 }, spent, 0)!, /^money budget of \$1 cannot be kept/);
  assert.is(budgetReached({ ...BUDGETS, maxUsd: 1, unpricedBefore: 1 }, spent, 0), null, 'who continues knows of it');
  assert.is(budgetReached(BUDGETS, spent, 0), null);
});

test('a section is called by its first heading, else by its first line', () => {
  assert.is(titleOf('---\n\n## The *Cave* ##\n\ntext', 3), 'The Cave');
  assert.is(titleOf('\nPlato says.\nMore.', 3), 'Plato says.');
  assert.is(titleOf('***', 3), 'Section 3');
  // Five million blanks, or marks, before another sign.
  assert.is(titleOf(`# A${' '.repeat(5e6)}b`, 3), 'A');
  assert.is(titleOf(`# A${'#'.repeat(5e6)}b`, 3), 'A');
});

test.run();
