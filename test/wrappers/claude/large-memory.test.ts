// A `~/.claude.json` of 50 MB is read; a larger one is named where it matters, and is no missing login.

import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { serverRules } from '../../../wrappers/claude/overlay.ts';
import { distrusts } from '../../../wrappers/claude/row.ts';
import { readClaudeSignIn } from '../../../wrappers/claude/sign-in.ts';

const test = suite<{ home: string }>('large ~/.claude.json');
test.before.each((context) => {
  context.home = mkdtempSync(path.join(tmpdir(), 'tollgate-memory-'));
});
test.after.each(({ home }) => rmSync(home, { recursive: true, force: true }));

const facts = (home: string) => {
  const environment = { HOME: home };
  return {
    signIn: readClaudeSignIn({ environment, home, cwd: home }),
    distrust: distrusts({ trustWorkspace: false, environment, cwd: home } as Parameters<typeof distrusts>[0]),
    servers: serverRules({ environment, cwd: home }),
  };
};

test('50 MB: its login, trust and servers count', ({ home }) => {
  const memory = {
    primaryApiKey: 'sk-ant-fake',
    mcpServers: { docs: {} },
    projects: { [home]: { hasTrustDialogAccepted: true } },
    history: 'x'.repeat(50 * 1024 * 1024),
  };
  writeFileSync(path.join(home, '.claude.json'), JSON.stringify(memory));
  const { signIn, distrust, servers } = facts(home);
  assert.equal([signIn.how, distrust, servers], ['signed_in', null, ['mcp__docs']]);
});

test('one that is too large to read: its size is named, and the login is unclear, not missing', ({ home }) => {
  const file = path.join(home, '.claude.json');
  writeFileSync(file, '{');
  truncateSync(file, 200 * 1024 * 1024);
  const { signIn, distrust, servers } = facts(home);
  assert.equal([signIn.how, servers], ['unclear', []]);
  const sized = /\.claude\.json has 209715200 bytes, and at most 134217728 are read; move it aside/;
  assert.match(signIn.how === 'unclear' ? signIn.because : '', sized);
  assert.match(distrust ?? '', sized);
});

test.run();
