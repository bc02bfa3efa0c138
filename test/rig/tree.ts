// Creates a separate tree for a test, in git or not, and compares it before and after a change.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { changesBetween } from '../../loops/tree/changes.ts';
import { type SnapshotOptions, type TreeSnapshot, takeSnapshot } from '../../loops/tree/snapshot.ts';
import type { Change } from '../../policies/facts/gate-record.ts';

export class TestTree {
  readonly home = mkdtempSync(path.join(tmpdir(), 'tree-'));
  readonly root = path.join(this.home, 'project');
  readonly #environment = {
    PATH: process.env.PATH,
    HOME: this.home,
    GIT_AUTHOR_NAME: 'test',
    GIT_AUTHOR_EMAIL: 'test@localhost',
    GIT_COMMITTER_NAME: 'test',
    GIT_COMMITTER_EMAIL: 'test@localhost',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'protocol.file.allow',
    GIT_CONFIG_VALUE_0: 'always',
  };

  constructor(files: Record<string, string> = {}) {
    mkdirSync(this.root);
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  at(name: string): string {
    return path.join(this.root, name);
  }

  write(name: string, text: string): void {
    mkdirSync(path.dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), text);
  }

  /** Runs a shell line in the root, as an agent would. */
  shell(line: string): string {
    const { root: cwd } = this;
    return execFileSync('/bin/sh', ['-ec', line], { cwd, env: this.#environment, encoding: 'utf8', stdio: 'pipe' });
  }

  /** Makes it a git repository, with everything committed that is not ignored. */
  commitAll(): void {
    this.shell('git init -q . && git add -A && git commit -qm all');
  }

  snapshot(options: Partial<SnapshotOptions> = {}): Promise<TreeSnapshot> {
    return takeSnapshot({ root: this.root, apart: [this.at('.tmp')], ignored: 'left_out', ...options });
  }

  /** Returns what a shell line changes. */
  async changesBy(line: string, options: Partial<SnapshotOptions> = {}): Promise<Change[]> {
    const before = await this.snapshot(options);
    this.shell(line);
    return this.changesSince(before, options);
  }

  async changesSince(before: TreeSnapshot, options: Partial<SnapshotOptions> = {}): Promise<Change[]> {
    const { root, ignored } = before;
    return changesBetween(before, await this.snapshot({ ...options, root, ignored, before }));
  }

  remove(): void {
    // Node's own rmSync stops at a path that is too long.
    execFileSync('rm', ['-rf', this.home]);
  }
}

/** `modified a`, `renamed a -> b`: a change as a row of a table. */
export const lineOf = ({ path, how, from }: Change): string =>
  `${how} ${from === undefined ? '' : `${from} -> `}${path}`;
