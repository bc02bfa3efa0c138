// Commits of the real codex: with --allow-commit in a repository and in a linked worktree, without it a warning.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallRecord } from '../../policies/record/call-record.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { startModelApi } from '../rig/model-api.ts';
import { RealHome } from './real-home.ts';

const COMMIT = 'git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m';

const git = (cwd: string, words: string): string => execFileSync('sh', ['-c', words], { cwd, encoding: 'utf8' });

async function inRepository(
  tree: string,
  use: (
    call: (...flags: string[]) => Promise<{ code: number; said: string; record: CallRecord }>,
    cwd: string,
  ) => unknown,
) {
  const outside = '../outside.txt';
  const api = await startModelApi();
  const home = new RealHome('codex', api.url(`tool=${COMMIT} second || true; touch ${outside}`));
  const repository = path.join(home.root, 'repository');
  const cwd = tree === 'linked' ? path.join(home.root, 'linked') : repository;
  try {
    git(home.root, `git init -q repository && cd repository && ${COMMIT} first`);
    if (tree === 'linked') git(repository, 'git worktree add -q ../linked');
    const prompt = home.write('prompt.md', 'Do it.\n');
    await use(async (...flags) => {
      const files = ['--prompt-file', prompt, '--out', 'out', '--err', 'err', '--result', 'record'];
      const started = home.start(ADAPTERS.codex.command, [...files, '--access', 'write', ...flags], { cwd });
      const { code, stderr } = await started.result;
      return { code: code!, said: stderr, record: JSON.parse(readFileSync(path.join(cwd, 'record'), 'utf8')) };
    }, cwd);
    assert.not.ok(existsSync(path.join(home.root, 'outside.txt')));
  } finally {
    await home.dispose();
    await api.close();
  }
}

const subjects = (cwd: string) => git(cwd, 'git log --format=%s').trim().split('\n');

for (const [name, tree] of [
  ['a repository', 'plain'],
  ['a linked worktree', 'linked'],
] as const)
  test(`codex in ${name}: it commits with --allow-commit, also in a resumed session, and is reported without`, () =>
    inRepository(tree, async (call, cwd) => {
      const without = await call();
      assert.is(without.code, 0, without.said);
      assert.equal(subjects(cwd), ['first']);
      // codex leaves a short command out of its stream now and then; then its log alone reports it.
      const warning =
        without.record.warnings.find((one) => one.startsWith('the tool command_execution was denied')) ?? '';
      assert.match(warning, /to allow it: (?:--access full, or for a commit )?--allow-commit$/);
      assert.match(without.said, warning);
      const allowed = await call('--allow-commit');
      assert.is(allowed.code, 0, allowed.said);
      assert.equal(subjects(cwd), ['second', 'first']);
      const resumed = await call('--allow-commit', '--resume-session', allowed.record.session_id!);
      assert.is(resumed.code, 0, resumed.said);
      assert.equal(subjects(cwd), ['second', 'second', 'first']);
    }));

test.run();
