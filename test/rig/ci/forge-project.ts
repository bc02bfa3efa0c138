// Creates a repository as a CI job finds it: a bare origin, a CLI that replays, and an npm that installs nothing.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keepCodeCaches, lendCodeCaches } from '../code-caches.ts';

export interface ForgeProject {
  root: string;
  origin: string;
  store: string;
  /** The environment of each step; without the secrets, which a workflow names itself. */
  env: Record<string, string>;
  /**
   * Writes files and pushes them to main.
   * @returns the commit.
   */
  push(files: Record<string, string>): string;
  git(...words: string[]): string;
  /** The number of starts of the CLI. */
  paid(): number;
  dispose(): void;
}

export function makeForgeProject(): ForgeProject {
  const root = mkdtempSync(path.join(tmpdir(), 'forge-'));
  const [bin, home, store, work] = ['bin', 'home', 'store', 'work'].map((name) => path.join(root, name));
  for (const folder of [bin, home, store]) mkdirSync(folder!);
  lendCodeCaches(home!);
  const origin = path.join(root, 'origin.git');
  const calls = path.join(root, 'calls');
  const program = (name: string, text: string) =>
    writeFileSync(path.join(bin!, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const node = path.dirname(process.execPath);
  program('codex', `[ "$1" != exec ] || echo call >> '${calls}'\nexec '${path.resolve('examples/replay/codex')}' "$@"`);
  // What an example installs is already there; other npm commands go to the real npm.
  program('npm', `[ "$1" != install ] || exit 0\nexec '${path.join(node, 'npm')}' "$@"`);
  program('tollgate', `exec '${process.execPath}' '${path.resolve('dist/tollgate.cjs')}' "$@"`);
  const env = { PATH: [bin, node, '/usr/bin', '/bin'].join(':'), HOME: home!, LANG: 'C.UTF-8', NO_COLOR: '1' };
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a-test', '-c', 'user.email=a@test', '-C', work!, ...words], {
      ...{ env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    }).trim();
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', origin], { env });
  execFileSync('git', ['clone', '--quiet', origin, work!], { env, stdio: 'ignore' });
  return {
    ...{ root, origin, store: store!, env, git },
    push(files) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(path.dirname(path.join(work!, name)), { recursive: true });
        writeFileSync(path.join(work!, name), text);
      }
      git('add', '--all');
      git('commit', '--quiet', '-m', 'A change');
      git('push', '--quiet', 'origin', 'HEAD:main');
      return git('rev-parse', 'HEAD');
    },
    paid: () => (existsSync(calls) ? readFileSync(calls, 'utf8').split('\n').length - 1 : 0),
    dispose() {
      keepCodeCaches(home!);
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
