// Stages of a manifest: listed, of a pipeline, refined, and every mistake that names its way out.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PIPELINES } from '../../../policies/manifest/pipelines.ts';
import { NO_PROJECT_FILE } from '../../../policies/manifest/project-file.ts';
import { ROLES } from '../../../policies/manifest/roles.ts';
import { readManifest } from '../../../state/project/manifest.ts';
import { STAGE } from '../../../state/project/manifest-schema.ts';
import { readProject } from '../../../state/project/project.ts';
import { STAGE_DEFAULTS } from '../../../state/project/stages.ts';

const test = suite<{ folder: string }>('stages');
test.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'stages-'));
  mkdirSync(path.join(context.folder, 'fix'));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

async function read(
  folder: string,
  yaml: string,
  project = NO_PROJECT_FILE,
  trust: 'trusted' | 'untrusted' = 'untrusted',
) {
  const file = path.join(folder, 'fix/manifest.yaml');
  writeFileSync(file, `task_id: fix\ngoal: g\n${yaml}`);
  const got = await readManifest(file, project, trust);
  if (got.how === 'invalid') return got.message.replace(`${folder}/`, '');
  return got.stages.map(({ name, tool, role, model }) => [name, tool, role, ...(model ? [model] : [])].join(' '));
}

test('the six pipelines expand to stages of known roles, each named once', async ({ folder }) => {
  assert.equal(Object.keys(PIPELINES), [
    'safe_impl',
    'one_shot_impl',
    'design_only',
    'review_only',
    'review_cross',
    'post_impl_review',
  ]);
  for (const [name, stages] of Object.entries(PIPELINES)) {
    assert.equal(
      await read(folder, `pipeline: ${name}\n`),
      stages.map(({ tool, role }) => `${tool}_${role} ${tool} ${role}`),
    );
    for (const { role } of stages) assert.ok(Object.hasOwn(ROLES, role), role);
  }
});

test('a stage that is listed beside a pipeline refines its own, and resets nothing else of it', async ({ folder }) => {
  assert.equal(await read(folder, 'pipeline: one_shot_impl\nstages: [{tool: codex, role: impl, model: m1}]\n'), [
    'codex_impl codex impl m1',
    'gemini_verify gemini verify',
  ]);
  const own = { ...NO_PROJECT_FILE, pipelines: { own: [{ tool: 'codex', role: 'impl', timeout_ms: 5000 }] } };
  const file = path.join(folder, 'fix/manifest.yaml');
  writeFileSync(file, 'task_id: fix\ngoal: g\npipeline: own\nstages: [{tool: codex, role: impl, model: m1}]\n');
  const got = await readManifest(file, own, 'trusted');
  assert.equal(got.how === 'read' && got.stages.map(({ timeout_ms, model }) => [timeout_ms, model]), [[5000, 'm1']]);
});

test("a project's own pipeline, in a trusted workspace alone", async ({ folder }) => {
  writeFileSync(
    path.join(folder, 'tollgate.yaml'),
    'pipelines:\n  mine:\n    - {tool: copilot, role: review, model: x}\n',
  );
  const project = await readProject(folder);
  if (project.how === 'invalid') return assert.unreachable(project.message);
  const stages = ['copilot_review copilot review x'];
  assert.equal(await read(folder, 'pipeline: mine\n', project.value, 'trusted'), stages);
  assert.equal(await read(folder, 'pipeline: mine\nsecurity: {trust_workspace: true}\n', project.value), stages);
  assert.is(
    await read(folder, 'pipeline: mine\n', project.value),
    'fix/manifest.yaml:3: the pipeline "mine" is one of tollgate.yaml, which counts only in a trusted workspace; use --trust-workspace, or trust it for good with tollgate trust',
  );
  assert.equal(await read(folder, 'pipeline: review_only\n', project.value), ['gemini_review gemini review']);
});

for (const [what, yaml, message] of [
  [
    'a glob that can match nothing',
    'stages: [{tool: codex, role: impl}]\nscope: {deny: ["!secrets"]}\n',
    'fix/manifest.yaml:4: scope.deny[0] "!secrets" begins with "!"; put what is not meant into the other list',
  ],
  [
    'a stand-in for itself',
    'stages: [{tool: codex, role: impl, fallback: [{tool: gemini}, {tool: codex}]}]\n',
    'fix/manifest.yaml:3: stage codex_impl: codex is named twice, or is the tool of the stage itself; its quota is the same',
  ],
  ['neither', '', 'fix/manifest.yaml:1: it has neither stages nor a pipeline, nor supervise; give it one of them'],
  [
    'a mistyped pipeline',
    'pipeline: safe_imp\n',
    'fix/manifest.yaml:3: there is no pipeline "safe_imp"; did you mean safe_impl?',
  ],
  [
    'a stage that the pipeline has not',
    'pipeline: review_only\nstages: [{tool: codex, role: impl}]\n',
    'fix/manifest.yaml:3: the pipeline review_only has no stage "codex_impl" to refine; its stages are gemini_review',
  ],
] as const)
  test(`a manifest with ${what}`, async ({ folder }) => assert.is(await read(folder, yaml), message));

for (const [yaml, message] of [
  ['roles: {impl: {templat: x.md}}\n', 'tollgate.yaml:1: roles.impl.templat is unknown; did you mean template?'],
  ['pipelines: {own: []}\n', 'tollgate.yaml:1: pipelines.own must not be empty'],
  [
    'pipelines:\n  mine: [{tool: codex, role: impl}]\n  one_shot_impl: [{tool: codex, role: impl, access: full}]\n',
    'tollgate.yaml:3: pipelines.one_shot_impl is built in and cannot be changed; give it another name',
  ],
  ['prices: {m: {input: -1, output: 1}}\n', 'tollgate.yaml:1: prices.m.input must be at least 0'],
  ['rule: x\n', 'tollgate.yaml:1: rule is unknown; did you mean rules?'],
  ['- a\n', 'tollgate.yaml:1: a project file must be object, not array'],
] as const)
  test(`a project file with ${yaml.trim()}`, async ({ folder }) => {
    writeFileSync(path.join(folder, 'tollgate.yaml'), yaml);
    const got = await readProject(folder);
    assert.is(got.how === 'invalid' && got.message.replace(`${folder}/`, ''), message);
  });

test('an empty project file says nothing', async ({ folder }) => {
  writeFileSync(path.join(folder, 'tollgate.yaml'), '{}\n');
  const got = await readProject(folder);
  assert.equal(got.how === 'read' && got.value, NO_PROJECT_FILE);
});

test('what the schema fills in is what a pipeline leaves unsaid', () => {
  const { tool: _, role: __, ...filled } = STAGE.parse({ tool: 'codex', role: 'impl' });
  assert.equal(filled, STAGE_DEFAULTS);
});

test.run();
