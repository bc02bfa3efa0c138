// How copilot is called in a folder that the user trusts, and in another one.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallRequest } from '../../../wrappers/adapter.ts';
import { COPILOT } from '../../../wrappers/copilot/row.ts';

const test = suite<{ cwd: string }>('copilot row');
test.before.each((context) => {
  context.cwd = mkdtempSync(path.join(tmpdir(), 'project-'));
});
test.after.each(({ cwd }) => rmSync(cwd, { recursive: true }));

const requestIn = (cwd: string, more: Partial<CallRequest> = {}): CallRequest => ({
  ...{ model: null, resumeSession: null, newSession: 'NEW', access: 'read', maxTurns: null, own: {} },
  ...{ innerRetries: 'cut', trustWorkspace: false, cwd, environment: {} },
  ...more,
});

test('its variable that allows all tools is set by the access alone, whatever the user exports', ({ cwd }) => {
  const allows = (more: Partial<CallRequest>) =>
    COPILOT.environment(requestIn(cwd, { environment: { COPILOT_ALLOW_ALL: 'true' }, ...more })).COPILOT_ALLOW_ALL;
  assert.is(allows({ trustWorkspace: true }), undefined);
  assert.is(allows({ access: 'write' }), undefined);
  assert.is(allows({ access: 'write', trustWorkspace: true }), 'true');
  assert.is(allows({ access: 'full', trustWorkspace: true }), 'true');
});

test("with read access the servers of a trusted folder are passed, and its hooks' lack is a warning", ({ cwd }) => {
  const trusted = (more: Partial<CallRequest> = {}) =>
    COPILOT.overlay(requestIn(cwd, { trustWorkspace: true, ...more }));
  assert.equal([trusted().argv, trusted().warnings], [[], []]);
  const file = path.join(cwd, '.mcp.json');
  writeFileSync(file, '{');
  assert.equal(trusted().argv, []);
  writeFileSync(file, '{"mcpServers": {}} // a comment');
  mkdirSync(path.join(cwd, '.github/hooks'), { recursive: true });
  writeFileSync(path.join(cwd, '.github/hooks/guard.json'), '{}');
  assert.equal(trusted().argv, [`--additional-mcp-config=@${file}`]);
  assert.match(trusted().warnings[0]!, /^the hooks in \S+\/\.github\/hooks did not run: /);
  for (const more of [{ trustWorkspace: false }, { access: 'write' }] as const)
    assert.equal([trusted(more).argv, trusted(more).warnings], [[], []]);
});

test('a denied tool that only reads, or that is allowed already, was denied for a path outside the folder', ({
  cwd,
}) => {
  const wayOf = (tool: string, rule: string | null, own: object = {}) =>
    COPILOT.allows({ tool, rule }, requestIn(cwd, { own: own as CallRequest['own'] }));
  assert.equal(wayOf('view', null), { flag: 'access', value: 'full' });
  assert.equal(wayOf('bash', 'shell(cat)'), { flag: 'allow-tool', value: 'shell(cat)' });
  for (const given of ['shell(cat)', 'shell'])
    assert.equal(wayOf('bash', 'shell(cat)', { 'allow-tool': [given] }), { flag: 'access', value: 'full' });
});

test("settings, hooks and servers of the user that are no JSON object are found; copilot's own comments are not", ({
  cwd,
}) => {
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    writeFileSync(path.join(cwd, name), text);
  };
  const ignored = () =>
    COPILOT.ignores({ trustWorkspace: false, cwd, environment: { COPILOT_HOME: cwd } }).map((one) =>
      one.what === 'server' ? one.name : [one.what, path.relative(cwd, one.file)],
    );
  assert.equal(ignored(), []);
  for (const name of ['settings.json', 'hooks/a.json', 'mcp-config.json']) write(name, '{} // fine');
  assert.equal(ignored(), []);
  for (const name of ['settings.json', 'hooks/a.json', 'hooks/b.txt', 'mcp-config.json']) write(name, '{');
  assert.equal(ignored(), [
    ['settings', 'settings.json'],
    ['settings', path.join('hooks', 'a.json')],
    ['servers', 'mcp-config.json'],
  ]);
});

test.run();
