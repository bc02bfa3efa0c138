// Commits the changes of a fetched task on its own branch and pushes it; the user's tree and index do not change.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { branchOf } from '../../loops/run/worktree.ts';
import { isCommit } from '../../loops/tree/repository.ts';
import { complaintOf, type GitRequest, gitWith } from '../../loops/tree/run-git.ts';
import { findRemote } from './origin.ts';
import { hideUrls, TravelRefusal } from './refusal.ts';
import type { PackedResult } from './result.ts';

const PUSH_MS = 30 * 60_000;

interface PushRequest {
  packed: PackedResult;
  /** The project's root, and the patch in the task's folder. */
  root: string;
  patch: string;
  message: string;
  environment: NodeJS.ProcessEnv;
  halt: AbortSignal;
}

/** The branch begins at the commit that was submitted. @returns its name and its commit. */
export async function pushResult({
  packed,
  root,
  patch,
  message,
  environment,
  halt,
}: PushRequest): Promise<{ branch: string; commit: string }> {
  const { task, commit: base } = packed;
  if (!isCommit(base)) throw new TravelRefusal(`"${base}" is not the id of a commit`);
  const branch = branchOf(task);
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-push-'));
  const ask = gitWith({ cwd: root, timeoutMs: PUSH_MS, environment, halt });
  const git = async (args: readonly string[], what: string, more: Partial<GitRequest> = {}): Promise<string> => {
    const ran = await ask(args, more);
    if (ran.code !== 0) throw new TravelRefusal(`${task} was not pushed: ${what} (${hideUrls(complaintOf(ran))})`);
    return ran.stdout.trim();
  };
  try {
    const remote = await findRemote({ tree: root, environment, halt });
    const lacking = await ask(['cat-file', '-e', `${base}^{commit}`]);
    if (lacking.code !== 0)
      await git(
        ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--end-of-options', remote, base],
        `its commit ${base.slice(0, 12)} cannot be fetched`,
        { network: 'used' },
      );
    const objects = await git(
      ['rev-parse', '--path-format=absolute', '--git-path', 'objects'],
      'its repository cannot be read',
    );
    const apart = { index: path.join(folder, 'index'), objects, others: [] };
    await git(['read-tree', base], 'its commit cannot be read', { apart });
    await git(
      ['apply', '--cached', '--whitespace=nowarn', '-p1', patch],
      'its patch does not apply to its commit; if it needs changes that you sent with --patch, commit and push them first',
      {
        apart,
      },
    );
    const tree = await git(['write-tree'], 'its tree cannot be written', { apart });
    const commit = await git(['commit-tree', tree, '-p', base, '-F', '-'], 'its commit cannot be made', {
      apart,
      input: message,
    });
    await git(
      ['push', '--quiet', '--no-verify', '--end-of-options', remote, `${commit}:refs/heads/${branch}`],
      `the remote ${remote} refuses branch ${branch}`,
      { network: 'used' },
    );
    return { branch, commit };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
