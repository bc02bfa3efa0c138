// What the editor proposes at each place of a manifest, by the published schema.

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { blockPath, fieldAt, type SchemaPart, suggestions } from '../../../../console/page/manifest/schema-help.ts';

const SCHEMA = JSON.parse(readFileSync('docs/schemas/TASK_SCHEMA.json', 'utf8')) as SchemaPart;

const PLACES: [text: string, path: string[]][] = [
  ['|', []],
  ['goal: x\n|', []],
  ['scope:\n  |', ['scope']],
  ['scope:\n  allow:\n    - a\n  |', ['scope']],
  ['stages:\n  - |', ['stages', '[]']],
  ['stages:\n- |', ['stages', '[]']],
  ['stages:\n- tool: codex\n  |', ['stages', '[]']],
  ['stages:\n  - tool: codex\n    role: impl\n  - |', ['stages', '[]']],
  ['stages:\n  - tool: codex\n    diff:\n      base: main\n    |', ['stages', '[]']],
  ['stages:\n  - tool: codex\n    fallback:\n      - tool: a\n        |', ['stages', '[]', 'fallback', '[]']],
  ['supervise:\n  # a comment\n\n  worker:\n    |', ['supervise', 'worker']],
  ['scope:\n  allow: []\nbudgets:\n  |', ['budgets']],
];

for (const [text, path] of PLACES)
  test(`${JSON.stringify(text)} is in ${path.join('.') || 'the whole'}`, () => {
    const lines = text.replace('|', '').split('\n');
    assert.equal(blockPath(lines, text.split('\n').at(-1)!.indexOf('|')), path);
  });

const labels = (path: string[], key: string | null, values = {}) =>
  suggestions(SCHEMA, values, { path, key, typed: '', style: 'block' }).map(({ label }) => label);

test('fields, and values: of a choice, of a list of examples, of yes or no, and of this project', () => {
  assert.ok(['task_id', 'goal', 'stages', 'security'].every((name) => labels([], null).includes(name)));
  assert.ok(labels(['stages', '[]'], null).includes('max_turns'));
  assert.ok(labels(['stages', '[]', 'diff'], null).includes('base'));
  assert.equal(labels(['stages', '[]'], 'access'), ['read', 'write', 'full']);
  assert.equal(labels([], 'worktree'), ['true', 'false']);
  assert.equal(labels(['stages', '[]'], 'role', { role: ['poet'] }), ['poet']);
  assert.ok(labels(['stages', '[]'], 'tool', { tool: ['mycli'] }).includes('mycli'));
  assert.equal(labels(['nowhere'], null), []);
  assert.equal(labels(['__proto__'], 'constructor'), []);
});

test('a field is explained by the schema', () => {
  assert.match(fieldAt(SCHEMA, ['budgets', 'paid_call_budget'])[0]!.description!, 'maximum number of paid calls');
  assert.match(fieldAt(SCHEMA, ['stages', '[]', 'requires_mcp'])[0]!.description!, 'MCP servers');
});

test.run();
