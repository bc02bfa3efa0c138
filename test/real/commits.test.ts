// Commits of the real CLIs at each level of access; of codex also in a linked worktree, with a warning where --allow-commit is missing.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { startModelApi } from '../rig/model-api.ts';
import { RealHome } from './real-home.ts';

const COMMIT = 'git commit -q --allow-empty -m';

const IDENTITY = 'git config user.name a && git config user.email a@example.com';

const git = (cwd: string, words: string): string => execFileSync('sh', ['-c', words], { cwd, encoding: 'utf8' });

async function inRepository(
  tool: BuiltIn,
  tree: 'plain' | 'linked',
  command: string,
  use: (
    call: (...flags: string[]) => Promise<{ code: number; said: string; record: CallRecord }>,
    cwd: string,
  ) => unknown,
) {
  const api = await startModelApi();
  const home = new RealHome(tool, api.url(`tool=${command}`));
  const repository = path.join(home.root, 'repository');
  const cwd = tree === 'linked' ? path.join(home.root, 'linked') : repository;
  try {
    git(home.root, `git init -q repository && cd repository && ${IDENTITY} && ${COMMIT} first`);
    if (tree === 'linked') git(repository, 'git worktree add -q ../linked');
    const prompt = home.write('prompt.md', 'Do it.\n');
    await use(async (...flags) => {
      const files = ['--prompt-file', prompt, '--out', 'out', '--err', 'err', '--result', 'record'];
      const started = home.start(ADAPTERS[tool].command, [...files, '--trust-workspace', ...flags], { cwd });
      const { code, stderr } = await started.result;
      return { code: code!, said: stderr, record: JSON.parse(readFileSync(path.join(cwd, 'record'), 'utf8')) };
    }, cwd);
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
    inRepository('codex', tree, `${COMMIT} second || true; touch ../outside.txt`, async (give, cwd) => {
      const call = (...flags: string[]) => give('--access', 'write', ...flags);
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
      assert.not.ok(existsSync(path.join(cwd, '../outside.txt')));
    }));

/** The table of docs/calls.md. gemini offers its model no tool for commands that it does not allow, so none is denied. */
const TABLE: [tool: BuiltIn, flags: string, commits: boolean][] = [
  ...(['gemini', 'copilot', 'codex', 'claude'] as const).flatMap((tool): [BuiltIn, string, boolean][] => [
    [tool, '--access read', false],
    [tool, '--access full', true],
  ]),
  ['gemini', '--access write', false],
  ['gemini', '--access write --allow-commit', false],
  ['copilot', '--access write', true],
  ['codex', '--access write', false],
  ['codex', '--access write --allow-commit', true],
  ['claude', '--access write', false],
  ['claude', '--access write --allow-commit', true],
];
for (const [tool, flags, commits] of TABLE)
  test(`${tool} ${flags}: ${commits ? 'it commits' : 'no commit'}`, () =>
    inRepository(tool, 'plain', `${COMMIT} second`, async (call, cwd) => {
      const { code, said, record } = await call(...flags.split(' '));
      assert.is(code, 0, said);
      assert.equal(subjects(cwd), commits ? ['second', 'first'] : ['first']);
      const warned = record.warnings.some((one) => /was denied|allow-commit/.test(one));
      const isSilent = commits || (tool === 'gemini' && !flags.includes('commit'));
      assert.is(warned, !isSilent, JSON.stringify(record.warnings));
    }));

test.run();
