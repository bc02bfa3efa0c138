// A user's pattern that never ends hangs nobody: the text is withheld, the rest of its file too, and nothing is paid for it.

import { readdirSync } from 'node:fs';
import { suite, test } from 'uvu';
import * as assert from 'uvu/assert';
import { redactorOf } from '../../loops/redactor.ts';
import { createStreamRedactor } from '../../policies/redact/create-redactor.ts';
import { answerWith, SESSION, STREAMS, write } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const ENDLESS = ['CUST-\\d+', '(?:a+)+$'];
const TRAP = `${'a'.repeat(60)}!`;
const WITHHELD = '[withheld: redaction pattern 2 took too long]';

const TEXTS: [what: string, text: string, redacted: string][] = [
  ['a text that ends in time', 'CUST-12 aaa', '[REDACTED:pattern] [REDACTED:pattern]'],
  ['one that does not', TRAP, WITHHELD],
  ['a line', `${TRAP}\n`, `${WITHHELD}\n`],
  ['a line of JSON', JSON.stringify({ a: TRAP }), JSON.stringify(WITHHELD)],
];
for (const [what, text, redacted] of TEXTS)
  test(what, () => {
    const redactor = redactorOf({}, ENDLESS);
    assert.is(redactor.redact(text), redacted);
    assert.equal(redactor.withheld, redacted.includes('withheld') ? [2] : []);
  });

test('an environment that changes has other secrets, be it the same object', () => {
  const environment: NodeJS.ProcessEnv = { API_TOKEN: 'first-of-two-secrets' };
  const both = 'first-of-two-secrets second-of-two-secrets';
  assert.is(redactorOf(environment, []).redact(both), '[REDACTED:API_TOKEN] second-of-two-secrets');
  assert.is(redactorOf(environment, []), redactorOf({ ...environment }, []));
  environment.API_TOKEN = 'second-of-two-secrets';
  assert.is(redactorOf(environment, []).redact(both), 'first-of-two-secrets [REDACTED:API_TOKEN]');
  assert.is(redactorOf({}, []).redact(both), both);
});

test('what follows a withheld text is looked at again, and what follows a withheld piece of a file is not', () => {
  const redactor = redactorOf({}, ENDLESS);
  redactor.redact(TRAP);
  assert.is(redactor.redact('transient CUST-1'), 'transient [REDACTED:pattern]');
  const stream = createStreamRedactor(redactor);
  const written = [`fine\n`, `${TRAP}\n`, `${TRAP}\n`, 'CUST-1\n'].map((line) => stream.write(line)).join('');
  assert.is(written + stream.end(), `fine\n${WITHHELD}\n`);
  const long = createStreamRedactor(redactor);
  assert.is(long.write(TRAP + 'x'.repeat(200_000)) + long.write('CUST-1\n') + long.end(), WITHHELD);
  assert.equal(redactor.withheld, [2, 2, 2]);
});

test('time that went to other processes is not held against a pattern', () => {
  const { cpuUsage } = process;
  const asked: NodeJS.CpuUsage[] = [];
  // The first try is told to have used no processor at all.
  process.cpuUsage = (before) => {
    const used = asked.length < 2 ? { user: 0, system: 0 } : cpuUsage(before);
    asked.push(used);
    return used;
  };
  try {
    assert.is(redactorOf({}, ENDLESS).redact(TRAP), WITHHELD);
    assert.ok(asked.length >= 4, 'it was tried again');
  } finally {
    process.cpuUsage = cpuUsage;
  }
});

const run = suite<{ rig: TestRig }>('a pattern that never ends');
run.before.each(async (context) => {
  context.rig = await TestRig.open();
});
run.after.each(({ rig }) => rig.dispose());

const STAGES = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };
const manifest = { ...STAGES, security: { redaction_patterns: ENDLESS } };

run('in what is asked: nothing is paid, and the pattern is named', async ({ rig }) => {
  const task = makeTask(rig, { ...manifest, goal: TRAP });
  const { code, said } = await task.run();
  assert.equal([code, rig.calls.length], [2, 0]);
  assert.match(
    said,
    'redaction pattern 2 (security.redaction_patterns[1]) took too long on what is to be sent, so nothing is sent; write it without repetitions within repetitions, such as (a+)+',
  );
});

run('in what a CLI says: it is withheld, the answer stands, and the record warns', async ({ rig }) => {
  rig.answer(() => [
    write([...STREAMS.codex.opens(SESSION), ...STREAMS.codex.runsTool(TRAP)]),
    { do: 'write', to: 'stderr', text: `first\nwarning: ${TRAP}\nlast\n` },
    ...answerWith('codex', 'the answer'),
  ]);
  const task = makeTask(rig, manifest);
  const { code } = await task.run();
  assert.is(code, 0, task.read('outputs/_summary.md'));
  const record = JSON.parse(task.read('outputs/codex_brief.codex.call.json'));
  assert.equal(record.warnings.slice(-1), [
    'redaction pattern 2 (security.redaction_patterns[1]) took too long and what it was tried on is withheld; write it without repetitions within repetitions, such as (a+)+',
  ]);
  assert.is(task.read('outputs/codex_brief.codex.err'), `${WITHHELD}\n`);
  for (const name of readdirSync(`${task.folder}/outputs`)) assert.not.match(task.read(`outputs/${name}`), TRAP);
});

/** Of a call, of a class, of an ending, of hashes. */
const OUR_WORDS = ['[0-9a-f]{8}', 'quota', 'exited', '20\\d\\d-', '^v1'];

run('that fits our own ids and words: the record stays that of its call', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'the answer'));
  const task = makeTask(rig, { ...STAGES, security: { redaction_patterns: OUR_WORDS } });
  assert.is((await task.run()).code, 0, task.read('outputs/_summary.md'));
  const lines = task.read('state/journal.jsonl').trim().split('\n');
  const [reserved] = lines.map((line) => JSON.parse(line)).filter(({ fact }) => fact === 'reserved');
  const record = JSON.parse(task.read('outputs/codex_brief.codex.call.json'));
  assert.equal([record.call_id, record.ending], [reserved.call_id, 'exited']);
  assert.match(record.prompt_sha256, /^[0-9a-f]{64}$/);
});

test.run();
run.run();
