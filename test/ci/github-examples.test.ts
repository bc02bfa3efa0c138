// The workflows of examples/github, step by step with a CLI that is played, against GitHub's own schema and the rules of a careful job.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { type CommentsApi, startCommentsApi } from '../rig/ci/comments-api.ts';
import { type ForgeProject, makeForgeProject } from '../rig/ci/forge-project.ts';
import { runWorkflow, STAND_INS } from '../rig/ci/github-workflow.ts';
import { openWorkflowSchema } from '../rig/ci/workflow-schema.ts';
import { sarifMistakes } from '../rig/sarif.ts';

const FOLDER = 'examples/github';
const FILES = readdirSync(FOLDER).map((name) => path.join(FOLDER, name));

const test = suite<{ project: ForgeProject; api: CommentsApi }>('examples for GitHub');
const STRANGERS = Array.from({ length: 150 }, (_, i) => `<!-- tollgate: review -->\n\nnot of the action, ${i}`);
test.before.each(async (context) => {
  context.project = makeForgeProject();
  context.api = await startCommentsApi(STRANGERS);
});
test.after.each(({ project, api }) => {
  project.dispose();
  api.close();
});

interface Workflow {
  on: object;
  permissions: object;
  jobs: Record<string, { permissions: Record<string, string>; steps: Record<string, unknown>[] }>;
}

test('GitHub would take each, and none of them with a wrong key', async () => {
  const { workflow } = await openWorkflowSchema();
  for (const file of FILES) {
    const text = readFileSync(file, 'utf8');
    assert.equal(workflow(text), [], file);
    assert.is.not(workflow(text.replace('runs-on:', 'run-on:')).length, 0);
  }
});

for (const file of FILES)
  test(`${file}: what a careful job does`, () => {
    const text = readFileSync(file, 'utf8');
    const { on, permissions, jobs } = parse(text) as Workflow;
    assert.equal([Object.keys(on).includes('pull_request_target'), permissions], [false, {}]);
    for (const { permissions: own, steps } of Object.values(jobs)) {
      const mayWrite = Object.values(own).includes('write');
      for (const step of steps) {
        const {
          run = '',
          uses,
          env = {},
          with: inputs,
        } = step as { run?: string; uses?: string; env?: object; with?: object };
        assert.not.match(run, '${{', 'an expression in a line of shell');
        // Where an agent works no token may write, and where one may no agent works.
        const said = JSON.stringify([run, uses, env]);
        if (mayWrite) assert.not.match(said, /tollgate (?:run|batch)|OWNER\/tollgate|secrets\./);
        else assert.not.match(said, /github\.token|GITHUB_TOKEN/);
        if (uses?.startsWith('actions/checkout@'))
          assert.is((inputs as Record<string, unknown>)['persist-credentials'], false);
      }
    }
    for (const [, name, commit, remark] of text.matchAll(/uses: ([\w./-]+)@(\S+)(.*)$/gm)) {
      if (name === 'OWNER/tollgate') continue;
      assert.ok(name! in STAND_INS, name);
      assert.match(`${commit}${remark}`, /^[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

interface Told {
  commit: string;
  base?: string;
  runId: string;
  inputs?: Record<string, string>;
  fork?: true;
}

function run(name: string, { project, api }: { project: ForgeProject; api: CommentsApi }, told: Told) {
  const { commit, base, runId, inputs = {}, fork } = told;
  const repository = 'some/project';
  const head = { sha: commit, repo: { full_name: fork ? 'stranger/project' : repository } };
  return runWorkflow(path.join(FOLDER, `${name}.yml`), {
    ...{ store: project.store, origin: project.origin, commit, runId },
    env: { ...project.env, GITHUB_API_URL: api.url, GITHUB_REPOSITORY: repository },
    contexts: {
      github: {
        ...{ repository, token: 'token-that-may-write', run_id: runId, ref_name: 'main' },
        event: { pull_request: { number: 12, head, base: { sha: base } } },
      },
      secrets: { CODEX_API_KEY: 'key-of-a-test' },
      inputs,
    },
  });
}

test('review: one comment, which the next push updates; the same commit is not paid again; a fork is left alone', async (its) => {
  const { project, api } = its;
  const base = project.push({ 'a.txt': 'one\n' });
  const first = project.push({ 'a.txt': 'two\n' });
  const end = await run('review', its, { base, commit: first, runId: '1' });
  assert.ok(end.review?.ok && end.comment?.ok, `${end.review?.log}${end.comment?.log}`);
  const ours = () => api.comments.slice(STRANGERS.length);
  const [said] = ours().map(({ body }) => body);
  assert.match(said!, /^<!-- tollgate: review -->\n\n\*\*review\*\*: done\n\n## Findings\n/);
  assert.is(project.paid(), 1);

  await run('review', its, { base, commit: first, runId: '2' });
  assert.equal([project.paid(), ours().length], [1, 1]);
  const next = project.push({ 'b.txt': 'three\n' });
  await run('review', its, { base, commit: next, runId: '3' });
  assert.equal([project.paid(), ours().length], [2, 1]);
  assert.is.not(ours()[0]!.body, said);
  assert.equal(
    api.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
    [
      'POST /repos/some/project/issues/12/comments',
      'PATCH /repos/some/project/issues/comments/150',
      'PATCH /repos/some/project/issues/comments/150',
    ],
  );
  assert.equal(
    api.comments.slice(0, STRANGERS.length).map(({ body }) => body),
    STRANGERS,
  );

  const strange = await run('review', its, { base, commit: next, runId: '4', fork: true });
  assert.equal(strange, { review: null, comment: null });
});

const REVIEWED = 'task_id: later\ngoal: Look at it.\nstages: [{tool: codex, role: review}]\n';
const GUARDED = `task_id: guard
goal: Look at it.
stages: [{tool: codex, role: review}, {tool: codex, role: verify, requires: [], min_lines: 0}]
acceptance: {commands: ["grep -q right code.txt"]}
`;

test('nightly: a page, findings and a cache, also where a task is bad; what is done is not paid again, and checked', async (its) => {
  const { project } = its;
  const night = async (runId: string, files: Record<string, string>, [ok, paid]: [ok: boolean, paid: number]) => {
    const { batch, findings } = await run('nightly', its, { commit: project.push(files), runId });
    assert.equal([batch?.ok, findings?.ok, project.paid()], [ok, true, paid], batch?.log);
    const report = (name: string) => readFileSync(path.join(batch!.at, 'report', name), 'utf8');
    assert.match(report('index.html'), '<!doctype html>');
    const sarif = JSON.parse(readFileSync(path.join(findings!.at, 'report/tollgate.sarif'), 'utf8'));
    assert.equal(sarifMistakes(sarif), []);
    assert.equal(
      findings!.used.map(({ name }) => name),
      ['actions/download-artifact', 'github/codeql-action/upload-sarif'],
    );
    return report('junit.xml');
  };
  const bad = { 'tasks/guard/manifest.yaml': GUARDED, 'tasks/later/manifest.yaml': 'task_id: later\n' };
  assert.match(await night('1', { ...bad, 'code.txt': 'right\n' }, [false, 2]), 'name="codex_review"');
  // Code that breaks between two nights makes the second one red.
  const red = await night('2', { 'tasks/later/manifest.yaml': REVIEWED, 'code.txt': 'wrong\n' }, [false, 3]);
  assert.match(red, 'contract_violation/acceptance_failed');
  assert.not.match(await night('3', { 'code.txt': 'right again\n' }, [true, 3]), 'acceptance_failed');
});

test('fix: a pull request only if the gate let it pass; a goal is no shell and no YAML', async (its) => {
  const { project, api } = its;
  const manifest = (script: string) => JSON.stringify({ name: 'p', scripts: { test: script } });
  const goal = 'Mend it: "$(touch bad)" `touch bad`\n# not a field';
  for (const [script, ok] of [
    ['exit 1', false],
    ['exit 0', true],
  ] as const) {
    const commit = project.push({ 'package.json': manifest(script) });
    const { fix, propose } = await run('fix', its, { commit, runId: ok ? '2' : '1', inputs: { goal } });
    assert.equal([fix?.ok, propose?.ok], [ok, ok || undefined], `${fix?.log}${propose?.log}`);
    assert.is(fix!.given.commit !== '', ok);
  }
  assert.equal(
    project
      .git('ls-remote', '--heads', 'origin')
      .replaceAll(/\w+\trefs\/heads\//g, '')
      .split('\n'),
    ['main', 'tollgate/fix-2'],
  );
  project.git('fetch', '--quiet', 'origin', 'tollgate/fix-2');
  assert.equal(project.git('diff', '--name-only', 'HEAD', 'FETCH_HEAD'), 'replayed.md');
  const [asked] = api.requests;
  assert.equal(
    [asked!.path, asked!.body!.head, asked!.body!.title],
    ['/repos/some/project/pulls', 'tollgate/fix-2', goal],
  );
  assert.match(asked!.body!.body!, /^<!-- tollgate: fix -->\n\n\*\*fix\*\*: done\n/);
});

test.run();
