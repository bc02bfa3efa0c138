// Calls whose answer must fit a JSON Schema, by the flag of the CLI or by its prompt.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BuiltIn, TOOLS } from '../../../policies/facts/tools.ts';
import { answerWith } from '../../rig/streams.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('calls with --json-schema');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const STRICT = {
  type: 'object',
  properties: { risk: { enum: ['low', 'high'] } },
  required: ['risk'],
  additionalProperties: false,
};
const OPEN = { type: 'object', properties: { risk: { type: 'string' } }, required: ['risk'] };

/** Makes a call in one line. `schemaFile`: what the file that codex got held while it ran. */
async function call(rig: TestRig, tool: BuiltIn, schema: string, answer: string) {
  const argv = ['call', tool, 'Rate it.', '--json-schema', schema, '--trust-workspace'];
  const running = rig.start('tollgate', argv);
  const fake = await rig.callBefore(running.result);
  const words = fake?.report.argv ?? [];
  const file = words[words.indexOf('--output-schema') + 1];
  const schemaFile = words.includes('--output-schema') ? JSON.parse(readFileSync(file!, 'utf8')) : null;
  await fake?.tell(...answerWith(tool, answer));
  const { code, stdout, stderr } = await running.result;
  const id = /^files: (.*)\/$/m.exec(stderr)?.[1];
  const recordFile = path.join(rig.project, id ?? 'none', 'call.json');
  const record = existsSync(recordFile) ? JSON.parse(readFileSync(recordFile, 'utf8')) : null;
  return { code, stdout, stderr, words, prompt: fake?.report.stdin.text ?? null, record, schemaFile };
}

for (const tool of TOOLS) {
  test(`${tool}: an answer that fits is printed as it is`, async ({ rig }) => {
    const { code, stdout, stderr } = await call(rig, tool, JSON.stringify(STRICT), '{"risk":"low"}');
    assert.equal([code, stdout], [0, '{"risk":"low"}\n'], stderr);
  });

  test(`${tool}: an answer that does not fit fails the call, and says what is wrong`, async ({ rig }) => {
    const { code, stdout, record } = await call(rig, tool, JSON.stringify(STRICT), '{"risk":"some"}');
    assert.not.equal(code, 0);
    assert.is(stdout, '');
    const { class: errorClass, reason, evidence } = record.verdict;
    assert.equal([errorClass, reason], ['contract_violation', 'schema_mismatch']);
    assert.match(evidence.text, /\/risk: expected one of .*, found "some"/);
    assert.ok(record.next_actions.length > 0);
  });
}

test('the JSON of the only code block is the answer', async ({ rig }) => {
  const { code, stdout } = await call(
    rig,
    'gemini',
    JSON.stringify(OPEN),
    'Here:\n```json\n{"risk":"low"}\n```\nDone.',
  );
  assert.equal([code, stdout], [0, '{"risk":"low"}\n']);
});

test('prose is not JSON', async ({ rig }) => {
  const { stdout, record } = await call(rig, 'copilot', JSON.stringify(OPEN), 'The risk is low.');
  assert.equal([stdout, record.verdict.class, record.verdict.reason], ['', 'contract_violation', 'not_json']);
});

test('a number keeps all of its digits', async ({ rig }) => {
  const { stdout } = await call(rig, 'codex', '{"type":"object"}', '{"n":12345678901234567890.10}');
  assert.is(stdout, '{"n":12345678901234567890.10}\n');
});

test('codex gets the schema as a file, and the prompt is not changed', async ({ rig }) => {
  const { schemaFile, prompt } = await call(rig, 'codex', JSON.stringify(STRICT), '{"risk":"low"}');
  assert.equal(schemaFile, STRICT);
  assert.is(prompt, 'Rate it.');
});

test('claude gets the schema as an argument, and the prompt is not changed', async ({ rig }) => {
  const { words, prompt } = await call(rig, 'claude', JSON.stringify(OPEN), '{"risk":"low"}');
  assert.ok(words.includes(`--json-schema=${JSON.stringify(OPEN)}`), words.join(' '));
  assert.is(prompt, 'Rate it.');
});

for (const tool of ['gemini', 'copilot', 'codex'] as const)
  test(`${tool}: a schema that its CLI does not take is in the prompt`, async ({ rig }) => {
    const { prompt, words } = await call(rig, tool, JSON.stringify(OPEN), '{"risk":"low"}');
    assert.match(prompt!, /^Answer with one JSON value that fits this JSON Schema, and with nothing else/);
    assert.ok(prompt!.includes(JSON.stringify(OPEN, null, 2)) && prompt!.endsWith('\n\nRate it.'), prompt!);
    assert.not.ok(words.join(' ').includes('schema'), words.join(' '));
  });

test('claude gets a value that is no schema as it is, and refuses it itself', async ({ rig }) => {
  const { words, prompt } = await call(rig, 'claude', '{"type":"nope"}', 'The answer.');
  assert.ok(words.includes('--json-schema={"type":"nope"}'), words.join(' '));
  assert.is(prompt, 'Rate it.');
});

test('the schema may be a file', async ({ rig }) => {
  rig.write('risk.json', JSON.stringify(STRICT));
  const { code, schemaFile } = await call(rig, 'codex', 'risk.json', '{"risk":"high"}');
  assert.equal([code, schemaFile], [0, STRICT]);
});

test('the file may begin with a mark and end with blank lines', async ({ rig }) => {
  rig.write('risk.json', `\ufeff\n${JSON.stringify(STRICT)}\n\n`);
  const { code, schemaFile, stderr } = await call(rig, 'codex', 'risk.json', '{"risk":"high"}');
  assert.equal([code, schemaFile], [0, STRICT], stderr);
});

test('claude gets a schema that is too long for an argument in the prompt', async ({ rig }) => {
  const long = { ...OPEN, description: 'é'.repeat(70_000) };
  rig.write('long.json', JSON.stringify(long));
  const { code, prompt, words, stderr } = await call(rig, 'claude', 'long.json', '{"risk":"low"}');
  assert.is(code, 0, stderr);
  assert.ok(prompt!.includes(long.description));
  assert.not.ok(words.some((word) => word.startsWith('--json-schema')));
});

test('a pattern that never ends does not make an answer count', async ({ rig }) => {
  const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
  const answer = JSON.stringify({ a: `${'a'.repeat(40)}!` });
  const { stdout, record } = await call(rig, 'gemini', JSON.stringify(schema), answer);
  assert.equal([stdout, record.verdict.reason], ['', 'schema_unchecked']);
});

test('the record before the end of a stopped call counts no answer that is not checked yet', async ({ rig }) => {
  const running = rig.start('tollgate', ['call', 'codex', 'Rate it.', '--json-schema', JSON.stringify(OPEN)]);
  const fake = await rig.call();
  await fake.tell(answerWith('codex', 'The risk is low.')[0]!, { do: 'trap', signals: ['SIGTERM'] });
  running.signal('SIGINT');
  await fake.caught('SIGTERM');
  const calls = path.join(rig.project, '.tmp/calls');
  const [id] = readdirSync(calls).filter((name) => /^\d/.test(name));
  const early = JSON.parse(readFileSync(path.join(calls, id!, 'call.json'), 'utf8'));
  assert.equal([early.ending, early.verdict.reason], ['cancelled', 'cancelled']);
  const { code, stdout } = await running.result;
  assert.equal([code === 0, stdout], [false, '']);
});

const REFUSED: [what: string, schema: string, says: RegExp][] = [
  ['a file that is not there', 'none.json', /--json-schema none\.json: .*give a file, or JSON that begins with \{/],
  ['JSON that breaks off', '{"type":', /--json-schema is not a JSON object/],
  ['a file that is not JSON', 'ask.md', /--json-schema ask\.md is not a JSON object/],
  ['no JSON Schema', '{"type":"number of things"}', /--json-schema is not a JSON Schema: \/type must be/],
  ['a folder', '.', /--json-schema \.: /],
];
for (const [what, schema, says] of REFUSED)
  test(`${what}: nothing is started`, async ({ rig }) => {
    rig.write('ask.md', 'Rate it.');
    const { code, stdout, stderr, prompt } = await call(rig, 'codex', schema, '{}');
    assert.equal([code, stdout, prompt], [2, '', null]);
    assert.match(stderr, says);
  });

test('a schema that is nested too deeply is refused before anything is paid', async ({ rig }) => {
  rig.write('deep.json', `${'{"default":'.repeat(12_000)}{}${'}'.repeat(12_000)}`);
  const { code, stderr, prompt } = await call(rig, 'codex', 'deep.json', '{}');
  assert.equal([code, prompt], [2, null]);
  assert.match(stderr, /--json-schema deep\.json is not a JSON Schema: it is nested too deeply/);
});

test.run();
