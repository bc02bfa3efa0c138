// tollgate trust, and what is known before a call: an untrusted folder, no login, a session that is gone. None of them is charged.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith } from '../../rig/streams.ts';
import { makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { runWrapper } from '../../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('tollgate trust');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const trust = (rig: TestRig, ...argv: string[]) => rig.run('tollgate', ['trust', ...argv]);

/** Paid calls of the task, by its journal. */
const usedOf = async (rig: TestRig) =>
  JSON.parse((await rig.run('tollgate', ['budget', 'fix', '--json'])).stdout).used as number;

const UNTRUSTED = ['gemini', 'codex', 'claude'] as const;

const KEYS = { gemini: 'GEMINI_API_KEY', codex: 'CODEX_API_KEY', claude: 'ANTHROPIC_API_KEY' } as const;

for (const tool of UNTRUSTED)
  test(`${tool}: an untrusted folder is refused before the reservation; tollgate trust is the flag for good`, async ({
    rig,
  }) => {
    rig.write('../home/.gemini/trustedFolders.json', '{}');
    rig.write('../home/.claude.json', '{}');
    rig.install(tool, {}, 'published');
    rig.env[KEYS[tool]] = 'key-of-the-test-0001';
    rig.answer(() => answerWith(tool, 'yes'));
    makeTask(rig, { stages: [{ tool, role: 'review' }] });
    const refused = await runWrapper(rig, tool, ['--task=fix']).ended();
    const { class: errorClass, reason } = refused.record.verdict;
    assert.equal([errorClass, reason, rig.calls.length, await usedOf(rig)], ['tooling', 'untrusted', 0, 0]);
    assert.match(refused.said, /add --trust-workspace, or run `tollgate trust` in that folder once/);
    assert.not.match(refused.said, /skip-trust|skip-git-repo-check|preflight/);
    assert.is((await trust(rig)).code, 0);
    assert.is((await runWrapper(rig, tool, ['--task=fix']).ended()).code, 0);
    assert.equal([rig.calls.length, await usedOf(rig)], [1, 1]);
    await trust(rig, '--revoke');
    assert.is((await runWrapper(rig, tool, ['--task=fix']).ended()).record.verdict.reason, 'untrusted');
    assert.is((await runWrapper(rig, tool, ['--task=fix', '--trust-workspace']).ended()).code, 0);
  });

test('the next command has the flag, unless the list of trusted folders grants what it would', async ({ rig }) => {
  rig.answer(() => [
    { do: 'write', to: 'stderr', text: 'it broke\n' },
    { do: 'exit', code: 1 },
  ]);
  makeTask(rig, { stages: [{ tool: 'codex', role: 'review' }] });
  const nextOf = async (...flags: string[]) => (await rig.run('tollgate', ['run', 'fix', ...flags])).stdout;
  assert.match(await nextOf('--trust-workspace'), /tollgate run fix --trust-workspace/);
  await trust(rig);
  assert.match(await nextOf(), /tollgate run fix(?! --trust-workspace)/);
  assert.not.match(await nextOf(), /--trust-workspace/);
});

for (const tool of ['gemini', 'copilot', 'codex', 'claude'] as const)
  test(`${tool}: a CLI that is not signed in is refused before the reservation`, async ({ rig }) => {
    rig.install(tool, {}, 'published');
    makeTask(rig, { stages: [{ tool, role: 'review' }] });
    const { record, said } = await runWrapper(rig, tool, ['--task=fix', '--trust-workspace']).ended();
    assert.equal([record.verdict.class, record.verdict.reason], ['auth', 'not_signed_in']);
    assert.equal([rig.calls.length, await usedOf(rig)], [0, 0]);
    assert.match(said, `${tool} is not signed in: `);
  });

test('a script of that name may sign in and trust by itself, so it is started', async ({ rig }) => {
  rig.write('../home/.gemini/trustedFolders.json', '{}');
  rig.answer(({ report }) => answerWith(report.tool, 'yes'));
  for (const tool of ['gemini', 'copilot', 'codex'] as const)
    assert.is((await runWrapper(rig, tool).ended()).code, 0, tool);
});

test("gemini's own list and settings are trusted too", async ({ rig }) => {
  rig.install('gemini', {}, 'published');
  rig.env.GEMINI_API_KEY = 'key-of-the-test-0001';
  rig.answer(() => answerWith('gemini', 'yes'));
  const reason = async () => (await runWrapper(rig, 'gemini').ended()).record.verdict.reason;
  const list = (rules: object) => rig.write('../home/.gemini/trustedFolders.json', JSON.stringify(rules));
  list({ [rig.root]: 'TRUST_FOLDER', [rig.project]: 'DO_NOT_TRUST' });
  assert.is(await reason(), 'untrusted');
  list({ [`${rig.project}/other`]: 'TRUST_PARENT' });
  assert.is(await reason(), null);
  list({});
  assert.is(await reason(), 'untrusted');
  rig.write('../home/.gemini/settings.json', '{"security": {"folderTrust": {"enabled": false}}}');
  assert.is(await reason(), null);
});

for (const tool of ['gemini', 'codex', 'claude'] as const)
  test(`${tool}: a session that is gone costs nothing`, async ({ rig }) => {
    rig.install(tool, {}, 'published');
    rig.env[KEYS[tool]] = 'key-of-the-test-0001';
    makeTask(rig, { stages: [{ tool, role: 'review' }] });
    const gone = ['--resume-session=0f0f0f0f-1111-2222-3333-444444444444'];
    const { record } = await runWrapper(rig, tool, ['--task=fix', '--trust-workspace', ...gone]).ended();
    assert.equal([record.verdict.class, record.verdict.reason], ['tooling', 'session_id']);
    assert.equal([rig.calls.length, await usedOf(rig)], [0, 0]);
  });

test('it is listed and revoked, for people and for machines', async ({ rig }) => {
  assert.equal((await trust(rig, '--list')).stdout, 'No folder is trusted; `tollgate trust` trusts this one.\n');
  assert.equal(JSON.parse((await trust(rig, '--json')).stdout), { schema: 1, state: 'trusted', folder: rig.project });
  assert.match((await trust(rig, '--list')).stdout, new RegExp(`^trusted +\\d{4}-\\d\\d-\\d\\d  ${rig.project}\n$`));
  const { folders } = JSON.parse((await trust(rig, '--list', '--json')).stdout);
  assert.equal([folders.length, folders[0].folder, folders[0].state], [1, rig.project, 'trusted']);
  const revoked = await trust(rig, rig.project, '--revoke', '--json');
  assert.equal(JSON.parse(revoked.stdout).state, 'revoked');
  const again = await trust(rig, '--revoke');
  assert.equal(
    [again.code, again.stderr],
    [2, `tollgate trust: ${rig.project} is not in the list of trusted folders\n`],
  );
  assert.is((await trust(rig, '--list', '--revoke')).code, 2);
});

test('an agent within a call can list, and neither trust nor revoke', async ({ rig }) => {
  await trust(rig);
  const env = { TOLLGATE_CALL_ID: 'c1' };
  const elsewhere = path.join(rig.root, 'other');
  mkdirSync(elsewhere);
  for (const argv of [[elsewhere], ['--revoke']]) {
    const { code, stderr } = await rig.run('tollgate', ['trust', ...argv], { env });
    assert.is(code, 2);
    assert.match(stderr, 'a call may not change which folders are trusted');
  }
  const { stdout } = await rig.run('tollgate', ['trust', '--list', '--json'], { env });
  assert.equal(
    JSON.parse(stdout).folders.map(({ folder }: { folder: string }) => folder),
    [rig.project],
  );
});

test('a task in a trusted folder uses what tollgate.yaml says, and the path of another project does not', async ({
  rig,
}) => {
  const describe = (root: string) => {
    mkdirSync(path.join(root, '.git'), { recursive: true });
    writeFileSync(path.join(root, 'mine.sh'), `#!/bin/sh\ntouch '${root}/started'\necho fine\n`, { mode: 0o755 });
    writeFileSync(path.join(root, 'tollgate.yaml'), 'tools:\n  mine:\n    binary: ./mine.sh\n');
  };
  const theirs = path.join(rig.root, 'theirs');
  describe(rig.project);
  describe(theirs);
  makeTask(rig, { stages: [{ tool: 'mine', role: 'review' }] });
  const manifest = `task_id: fix\ngoal: x\nstages:\n  - {tool: mine, role: review}\n`;
  mkdirSync(path.join(theirs, 'tasks/fix'), { recursive: true });
  writeFileSync(path.join(theirs, 'tasks/fix/manifest.yaml'), manifest);
  assert.is((await rig.run('tollgate', ['run', 'fix'])).code, 2);
  await trust(rig);
  await rig.run('tollgate', ['run', 'fix']);
  assert.ok(existsSync(path.join(rig.project, 'started')));
  const { code, stderr } = await rig.run('tollgate', ['run', path.join(theirs, 'tasks/fix')]);
  assert.is(code, 2);
  assert.match(stderr, 'counts only in a trusted workspace');
  assert.is(existsSync(path.join(theirs, 'started')), false);
});

/** A git on the PATH that notes each of its starts; the rest of the PATH finds the real one. */
function countGits(rig: TestRig): () => number {
  const log = path.join(rig.root, 'gits');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  rig.write('../gits-bin/git', `#!/bin/sh\nprintf '%s\\n' "$*" >>'${log}'\nexec '${real}' "$@"\n`);
  chmodSync(path.join(rig.root, 'gits-bin/git'), 0o755);
  rig.env.PATH = `${path.join(rig.root, 'gits-bin')}:${rig.env.PATH}`;
  return () => (existsSync(log) ? readFileSync(log, 'utf8').match(/ls-files --error-unmatch/g)?.length : 0) ?? 0;
}

test("a manifest's own trust counts where git does not track it, and is refused where it does", async ({ rig }) => {
  const git = (...argv: string[]) => execFileSync('git', argv, { cwd: rig.project, stdio: 'ignore' });
  const asked = countGits(rig);
  rig.answer(({ report }) => answerWith(report.tool, 'yes'));
  rig.write('tollgate.yaml', 'pipelines:\n  mine:\n    - {tool: codex, role: review, min_lines: 1, requires: []}\n');
  const write = (security: string) =>
    rig.write('tasks/fix/manifest.yaml', `task_id: fix\ngoal: x\npipeline: mine\n${security}`);
  const run = () => rig.run('tollgate', ['run', 'tasks/fix', '--redo=all', '--json']);
  write('security: {trust_workspace: true}\n');
  assert.equal([(await run()).code, asked()], [0, 0], 'outside of a repository no git is asked');
  git('init', '-q');
  assert.equal([(await run()).code, asked()], [0, 1], 'a file of the user');
  git('add', '-f', 'tasks/fix/manifest.yaml');
  const refused = await run();
  assert.equal([refused.code, rig.calls.length], [2, 2]);
  const told = /tasks\/fix\/manifest\.yaml: security\.trust_workspace is not used, since git tracks /g;
  assert.is(refused.stderr.match(told)?.length, 1);
  assert.match(refused.stderr, /to trust it for this command: --trust-workspace; for good: .*tollgate trust\n/);
  assert.is((await rig.run('tollgate', ['run', 'tasks/fix', '--redo=all', '--trust-workspace'])).code, 0);
  const before = asked();
  write('');
  assert.is((await run()).code, 2);
  assert.is((await trust(rig)).code, 0);
  assert.is((await run()).code, 0);
  assert.is(asked(), before, 'no git is asked where the field is not set, or not needed');
});

test('a refused trust of a manifest is told once, and in the summary', async ({ rig }) => {
  const git = (...argv: string[]) => execFileSync('git', argv, { cwd: rig.project, stdio: 'ignore' });
  git('init', '-q');
  const { folder } = makeTask(rig, {
    stages: [{ tool: 'copilot', role: 'review', min_lines: 1, requires: [] }],
    security: { trust_workspace: true },
  });
  git('add', '-f', folder);
  rig.answer(() => answerWith('copilot', 'yes'));
  const { code, stderr } = await rig.run('tollgate', ['run', 'fix']);
  assert.equal([code, stderr.match(/security\.trust_workspace is not used/g)?.length], [0, 1]);
  assert.match(readFileSync(path.join(folder, 'outputs/_summary.md'), 'utf8'), 'security.trust_workspace is not used');
});

test('preflight and doctor report an untrusted folder', async ({ rig }) => {
  rig.write('../home/.gemini/trustedFolders.json', '{}');
  const env = { GEMINI_API_KEY: 'key-of-the-test-0001' };
  const found = async (...flags: string[]) => {
    const { stdout } = await rig.run('tollgate', ['doctor', '--tools=gemini', '--quick', '--json', ...flags], { env });
    return JSON.parse(stdout).steps.filter(({ check }: { check: string }) => check === 'gemini trust');
  };
  const [step] = await found();
  assert.equal(step.found, `gemini refuses to start in ${rig.project}, which is not a trusted folder`);
  assert.match(step.do, '`tollgate trust`');
  assert.equal(await found('--trust-workspace'), []);
  await trust(rig);
  assert.equal(await found(), []);
  const table = await rig.run('preflight', ['--tools=gemini', '--quick'], { env });
  assert.not.match(table.stdout, 'gemini trust');
});

test.run();
