// The pipelines of examples/gitlab, line by line with a CLI that is played, and the rules of a careful job.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommentsApi, startCommentsApi } from '../rig/ci/comments-api.ts';
import { type ForgeProject, makeForgeProject } from '../rig/ci/forge-project.ts';
import { readPipeline, runPipeline } from '../rig/ci/gitlab-pipeline.ts';
import { pipelineMistakes } from '../rig/ci/gitlab-schema.ts';

const FOLDER = 'examples/gitlab';
const FILES = readdirSync(FOLDER).map((name) => path.join(FOLDER, name));

const test = suite<{ project: ForgeProject; api: CommentsApi }>('examples for GitLab');
const STRANGERS = Array.from({ length: 150 }, (_, i) => `<!-- tollgate: review -->\n\nnot of the job, ${i}`);
test.before.each(async (context) => {
  context.project = makeForgeProject();
  context.api = await startCommentsApi(STRANGERS);
});
test.after.each(({ project, api }) => {
  project.dispose();
  api.close();
});

for (const file of FILES)
  test(`${file}: GitLab takes it, and what a careful job does`, () => {
    assert.equal(pipelineMistakes(readFileSync(file, 'utf8')), []);
    const jobs = Object.entries(readPipeline(file));
    assert.ok(jobs.length > 0);
    for (const [name, job] of jobs) {
      const lines = [...(job.script ?? []), ...(job.after_script ?? [])].join('\n');
      const agents = /tollgate (?:run|batch)/.test(lines);
      // Where an agent works no token may write, and where one may no agent works.
      assert.ok(!agents || !/[A-Z]+_TOKEN/.test(lines), name);
      assert.is(agents, lines.includes('git remote remove origin'), name);
      assert.is(agents, !('environment' in job), name);
      for (const { if: condition } of job.rules!) assert.match(condition, '$CI_PIPELINE_SOURCE == ');
    }
  });

/** What is written in the examples, and what stands there once it is broken. */
const BROKEN: [what: string, file: string, written: RegExp, broken: string, said: RegExp][] = [
  ['a keyword that is none', 'fix', /^ {2}timeout:/m, '  time_out:', /time_out/],
  ['one in a job that others extend', 'fix', /^ {2}image:/m, '  images:', /images/],
  ['a word for when that is none', 'review', /when: always\n {2}script/, 'when: ever\n  script', /\/review\/cache/],
  ['a condition that is no text', 'nightly', /- if: .*/, '- if: [a]', /\/nightly\/rules/],
  ['a report that is none', 'nightly', /codequality:/, 'code_quality:', /code_quality/],
  [
    'a script that is a table',
    'nightly',
    /script:\n {4}- npm/,
    'script:\n    main: npm\n    rest:\n    - npm',
    /script/,
  ],
  ['paths that are no list', 'fix', /paths: \[fix.patch, comment.md\]/, 'paths: fix.patch', /\/fix\/artifacts/],
  ['an action that is none', 'fix', /action: access/, 'action: look', /\/propose\/environment/],
  ['no script', 'review', /^ {2}script:/m, '  before_script:', /script/],
  ['a stage that is not there', 'review', /^stages: .*/m, 'stages: [review]', /there is no stage comment/],
  ['a need that is no job', 'fix', /needs: \[fix\]/, 'needs: [fixed]', /needs fixed/],
  ['a need of a later stage', 'fix', /^stages: .*/m, 'stages: [propose, fix]', /needs fix,/],
  ['a base that is not there', 'fix', /extends: .by hand/, 'extends: .by-hand', /extends .by-hand/],
];

test('a pipeline with a mistake is none for GitLab', () => {
  for (const [what, name, written, broken, said] of BROKEN) {
    const text = readFileSync(path.join(FOLDER, `${name}.yml`), 'utf8');
    const changed = text.replace(written, broken);
    assert.is.not(changed, text);
    assert.match(pipelineMistakes(changed).join('\n'), said, what);
  }
});

interface Told {
  commit: string;
  source: 'merge_request_event' | 'schedule' | 'web';
  id: string;
  env?: Record<string, string>;
}

const run = (name: string, { project, api }: { project: ForgeProject; api: CommentsApi }, told: Told) =>
  runPipeline(path.join(FOLDER, `${name}.yml`), {
    ...{ store: project.store, origin: project.origin, commit: told.commit },
    env: {
      ...project.env,
      ...{ TOLLGATE_PACKAGE: 'tollgate.tgz', CODEX_API_KEY: 'key-of-a-test', REVIEW_TOKEN: 'r', FIX_TOKEN: 'f' },
      ...{ CI_PIPELINE_SOURCE: told.source, CI_PIPELINE_ID: told.id, CI_COMMIT_SHA: told.commit },
      ...{ CI_API_V4_URL: api.url, CI_PROJECT_ID: '3', CI_COMMIT_BRANCH: 'main' },
      CI_PROJECT_URL: project.origin.replace(/\.git$/, ''),
      ...told.env,
    },
  });

test('review: one note, which the next push updates; the same commit is not paid again; a fork is left alone', async (its) => {
  const { project, api } = its;
  const base = project.push({ 'a.txt': 'one\n' });
  const first = project.push({ 'a.txt': 'two\n' });
  const of = (commit: string, id: string, source = '3') => ({
    ...{ commit, id, source: 'merge_request_event' as const },
    env: {
      ...{ CI_MERGE_REQUEST_IID: '12', CI_MERGE_REQUEST_DIFF_BASE_SHA: base },
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: source,
    },
  });
  const { review, comment } = await run('review', its, of(first, '1'));
  assert.ok(review?.ok && comment?.ok, `${review?.log}${comment?.log}`);
  const ours = () => api.comments.slice(STRANGERS.length);
  assert.match(ours()[0]!.body, /^<!-- tollgate: review -->\n\n\*\*review\*\*: done\n\n## Findings\n/);
  assert.match(readFileSync(path.join(review!.at, 'junit.xml'), 'utf8'), 'name="codex_review"');
  assert.equal(JSON.parse(readFileSync(path.join(review!.at, 'codequality.json'), 'utf8')), []);

  await run('review', its, of(first, '2'));
  const next = project.push({ 'b.txt': 'three\n' });
  await run('review', its, of(next, '3'));
  assert.equal([project.paid(), ours().length], [2, 1]);
  assert.equal(
    api.requests
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path, token }) => `${method} ${path} ${token}`),
    [
      'POST /projects/3/merge_requests/12/notes r',
      'PUT /projects/3/merge_requests/12/notes/150 r',
      'PUT /projects/3/merge_requests/12/notes/150 r',
    ],
  );
  assert.equal(await run('review', its, of(next, '4', '99')), { review: null, comment: null });
});

const REVIEWED = 'task_id: later\ngoal: Look at it.\nstages: [{tool: codex, role: review}]\n';
const GUARDED = `task_id: guard
goal: Look at it.
stages: [{tool: codex, role: review}, {tool: codex, role: verify, requires: [], min_lines: 0}]
acceptance: {commands: ["grep -q right code.txt"]}
`;

test('nightly: a page, findings and a cache, also where a task is bad; what is done is not paid again, and checked', async (its) => {
  const { project } = its;
  const night = async (id: string, files: Record<string, string>, [ok, paid]: [ok: boolean, paid: number]) => {
    const commit = project.push(files);
    const { nightly } = await run('nightly', its, { commit, id, source: 'schedule' });
    assert.equal([nightly?.ok, project.paid()], [ok, paid], nightly?.log);
    const report = (name: string) => readFileSync(path.join(nightly!.at, 'report', name), 'utf8');
    assert.match(report('index.html'), '<!doctype html>');
    assert.equal(JSON.parse(report('codequality.json')), []);
    assert.equal(await run('nightly', its, { commit, id: `${id}0`, source: 'web' }), { nightly: null });
    return report('junit.xml');
  };
  const bad = { 'tasks/guard/manifest.yaml': GUARDED, 'tasks/later/manifest.yaml': 'task_id: later\n' };
  assert.match(await night('1', { ...bad, 'code.txt': 'right\n' }, [false, 2]), 'name="codex_review"');
  // Code that breaks between two nights makes the second one red.
  const red = await night('2', { 'tasks/later/manifest.yaml': REVIEWED, 'code.txt': 'wrong\n' }, [false, 3]);
  assert.match(red, 'contract_violation/acceptance_failed');
  assert.not.match(await night('3', { 'code.txt': 'right again\n' }, [true, 3]), 'acceptance_failed');
});

test('fix: a merge request only if the gate let it pass; a goal is no shell and no YAML', async (its) => {
  const { project, api } = its;
  const manifest = (script: string) => JSON.stringify({ name: 'p', scripts: { test: script } });
  const GOAL = 'Mend it: "$(touch bad)" `touch bad`\n# not a field';
  for (const [script, ok] of [
    ['exit 1', false],
    ['exit 0', true],
  ] as const) {
    const commit = project.push({ 'package.json': manifest(script) });
    const { fix, propose } = await run('fix', its, { commit, id: ok ? '2' : '1', source: 'web', env: { GOAL } });
    assert.equal([fix?.ok, propose?.ok], [ok, ok || undefined], `${fix?.log}${propose?.log}`);
  }
  project.git('fetch', '--quiet', 'origin', 'tollgate/fix-2');
  assert.equal(project.git('diff', '--name-only', 'HEAD', 'FETCH_HEAD'), 'replayed.md');
  const [{ path: asked, body }] = api.requests as [(typeof api.requests)[number]];
  assert.equal([asked, body!.source_branch, body!.title], ['/projects/3/merge_requests', 'tollgate/fix-2', GOAL]);
  assert.match(body!.description!, /^<!-- tollgate: fix -->\n\n\*\*fix\*\*: done\n/);
});

test.run();
