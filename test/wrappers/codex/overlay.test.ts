// What codex is told of trust, and where a required server may be configured.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallRequest } from '../../../wrappers/adapter.ts';
import { CODEX } from '../../../wrappers/codex/row.ts';

const test = suite<{ root: string }>('codex overlay');
test.before.each((context) => {
  context.root = realpathSync(mkdtempSync(path.join(tmpdir(), 'overlay-')));
});
test.after.each(({ root }) => rmSync(root, { recursive: true }));

function requestIn(root: string, more: Partial<CallRequest> = {}): CallRequest {
  return {
    ...{ model: null, resumeSession: null, newSession: 'NEW', access: 'read', maxTurns: null, own: {} },
    ...{ innerRetries: 'allow', trustWorkspace: false, cwd: root, environment: { HOME: path.join(root, 'home') } },
    ...more,
  };
}

function save(root: string, file: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}

test('a trusted folder is named with its repository, and that of the main worktree; another call names none', ({
  root,
}) => {
  const git = (...argv: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...argv]);
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'x');
  git('worktree', 'add', '-q', path.join(root, 'linked'));
  const cwd = path.join(root, 'linked/sub');
  mkdirSync(cwd);
  assert.equal(CODEX.overlay(requestIn(root, { cwd })).argv, []);
  const [flag, value] = CODEX.overlay(requestIn(root, { cwd, trustWorkspace: true })).argv;
  const rows = [cwd, path.join(root, 'linked'), root].map((folder) => `"${folder}"={trust_level="trusted"}`);
  assert.equal([flag, value], ['-c', `projects={${rows.join(',')}}`]);
});

test('a server of the project is configured only where codex trusts the project', ({ root }) => {
  save(root, '.codex/config.toml', '[mcp_servers.db]\ncommand = "db"\n');
  const requires = { servers: ['db'], denied: 'note' } as const;
  const missing = (more: Partial<CallRequest> = {}) => CODEX.missingServer(requestIn(root, { requires, ...more }));
  assert.match(missing()!, /not used|does not use.*add --trust-workspace$/);
  assert.is(missing({ trustWorkspace: true }), null);
  save(root, 'home/.codex/config.toml', `[projects."${root}"]\ntrust_level = "untrusted"\n`);
  assert.match(missing()!, /add --trust-workspace$/);
  save(root, 'home/.codex/config.toml', `[projects."${root}"]\ntrust_level = "trusted"\n`);
  assert.is(missing(), null);
  assert.match(missing({ requires: { servers: ['mail'], denied: 'note' } })!, 'no [mcp_servers.mail] is in ');
});

test.run();
