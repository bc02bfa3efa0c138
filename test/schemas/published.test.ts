// The published schemas: up to date, sound, with help for every field, and in agreement with the reader of manifests.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MANIFEST_FIELDS } from '../../policies/manifest/manifest-fields.ts';
import { MANIFEST } from '../../state/project/manifest-schema.ts';
import { schemaFiles } from '../rig/schemas/schemas.ts';
import { taskFields } from '../rig/schemas/task.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../docs/schemas');
const FILES = schemaFiles();

test('docs/schemas holds these files and no others', () => {
  assert.equal(readdirSync(FOLDER).sort(), FILES.map(({ name }) => name).sort());
});

for (const { name, schema, text } of FILES) {
  test(`${name} is up to date (else: npm run schemas)`, () => {
    assert.ok(readFileSync(path.join(FOLDER, name), 'utf8') === text);
  });

  test(`${name} is a sound schema, needs no network, and helps with every field`, () => {
    new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
    assert.not(/https?:\/\/(?!json-schema\.org\/draft\/2020-12\/schema")/.test(text));
    assert.equal([...mute(schema, name)], []);
  });
}

/** Fields without a description. */
function* mute(node: unknown, at: string): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, child] of Object.entries(node)) {
    if (key === 'properties')
      for (const [field, { description }] of Object.entries(child as Record<string, { description?: string }>))
        if (!description) yield `${at}.${field}`;
    yield* mute(child, `${at}.${key}`);
  }
}

test('every field of a manifest has its row in MANIFEST_FIELDS, and no other has', () => {
  assert.equal(Object.keys(MANIFEST_FIELDS).sort(), taskFields().sort());
});

const TASK = new Ajv2020({ strict: true }).compile(FILES.find(({ name }) => name === 'TASK_SCHEMA.json')!.schema);
const STAGES = [{ tool: 'codex', role: 'brief' }];

const MANIFESTS: [what: string, manifest: object, valid: boolean][] = [
  ['a small one', { task_id: 'a', goal: 'b', stages: STAGES }, true],
  ['a pipeline', { task_id: 'a', goal: 'b', pipeline: 'safe_impl', worktree: true }, true],
  ['with the line for editors', { $schema: 'x', task_id: 'a', goal: 'b', stages: STAGES }, true],
  ['an unknown field', { task_id: 'a', goal: 'b', stages: STAGES, stage: [] }, false],
  ['an unknown field of a stage', { task_id: 'a', goal: 'b', stages: [{ ...STAGES[0], tol: 'codex' }] }, false],
  ['no goal', { task_id: 'a', stages: STAGES }, false],
  ['a name that no tool can have', { task_id: 'a', goal: 'b', stages: [{ tool: 'No tool', role: 'brief' }] }, false],
  ['a path for an id', { task_id: 'a/b', goal: 'b', stages: STAGES }, false],
  ['changes since a base', { task_id: 'a', goal: 'b', stages: [{ ...STAGES[0], diff: { base: 'main' } }] }, true],
  ['changes since nothing', { task_id: 'a', goal: 'b', stages: [{ ...STAGES[0], diff: {} }] }, false],
  ['a budget below 0', { task_id: 'a', goal: 'b', stages: STAGES, budgets: { paid_call_budget: -1 } }, false],
];
for (const [what, manifest, valid] of MANIFESTS)
  test(`${what}: the schema and the reader agree that it is ${valid ? 'valid' : 'not valid'}`, () => {
    assert.equal([TASK(manifest), MANIFEST.safeParse(manifest).success], [valid, valid]);
  });

test.run();
