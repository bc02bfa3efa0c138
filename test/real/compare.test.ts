// tollgate compare over the real CLIs: each changes its own worktree by one call, and the change of one is applied to the tree.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ComparisonReport } from '../../policies/report/comparison.ts';
import { startModelApi } from '../rig/model-api.ts';
import { RealHome } from './real-home.ts';

const TOOLS = ['copilot', 'codex', 'claude'] as const;

test('three CLIs change a file in worktrees of their own; one change is applied, then nothing remains', async () => {
  const api = await startModelApi();
  const home = new RealHome(TOOLS, api.url('work=pwd >> where.txt\nI appended the path.'));
  const git = (words: string) => execFileSync('sh', ['-c', words], { cwd: home.project, encoding: 'utf8' });
  const compare = async (...words: string[]) => {
    const { code, stdout, stderr } = await home.start('tollgate', ['compare', ...words, '--json', '--trust-workspace'])
      .result;
    assert.is(code, 0, stderr);
    return JSON.parse(stdout);
  };
  try {
    git('git init -q && git config user.name a && git config user.email a@example.com');
    home.write('.gitignore', '.tmp/\n');
    git('git add -A && git commit -qm first');
    const withAll = TOOLS.flatMap((tool) => ['--with', tool]);
    const report: ComparisonReport = await compare('append the path to where.txt', ...withAll, '--access', 'write');
    for (const { name, state, calls, answer, diff, files } of report.variants) {
      assert.equal([name, state, calls, diff], [name, 'done', 1, { files: 1, added: 1, removed: 0 }]);
      assert.match(answer!, 'I appended the path.');
      assert.match(readFileSync(files.diff!, 'utf8'), `+${files.worktree}`);
    }
    assert.is(git('git status --porcelain'), '');
    const picked = await compare('--pick', 'codex');
    assert.equal(picked.files, ['where.txt']);
    const { worktree } = report.variants[1]!.files;
    assert.is(readFileSync(path.join(home.project, 'where.txt'), 'utf8'), `${worktree}\n`);
    await compare('--remove', 'last');
    assert.is(git('git worktree list').trim().split('\n').length, 1);
    assert.equal(home.survivors(), []);
  } finally {
    await home.dispose();
    await api.close();
  }
});

test.run();
