// A next action as the call of a tool: of each command that a tool does, and of those that are left to the user.

import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { callFor, withCalls } from '../../../../bin/tollgate/mcp/answer.ts';
import { toDo, toType } from '../../../../policies/facts/next-action.ts';
import { shellWord } from '../../../../policies/text/display.ts';

const CALLS: [command: string, tool: string, given: Record<string, unknown>][] = [
  ['tollgate run fix', 'run_task', { task: 'fix' }],
  ['npx tollgate run fix --trust-workspace', 'run_task', { task: 'fix' }],
  ['tollgate run .tmp/task/q1/ --redo a --redo b', 'run_task', { task: 'q1', redo: ['a', 'b'] }],
  [`tollgate run ${shellWord(path.resolve('.tmp/task/q1'))}`, 'run_task', { task: 'q1' }],
  [`tollgate explain ${shellWord(path.resolve('.tmp/task/q1/'))}`, 'explain_failure', { task: 'q1' }],
  ['tollgate run fix --keep a --redo b', 'run_task', { task: 'fix', redo: ['b'], keep: ['a'] }],
  ['tollgate run fix --recheck', 'run_task', { task: 'fix', recheck: true }],
  ['tollgate supervise fix', 'supervise', { task: 'fix' }],
  ['tollgate explain fix', 'explain_failure', { task: 'fix' }],
  ['tollgate budget', 'budget', {}],
  ['npx tollgate preflight --tools codex', 'preflight', { tools: ['codex'] }],
  ['npx tollgate preflight --tools codex,claude', 'preflight', { tools: ['codex', 'claude'] }],
];
for (const [command, tool, given] of CALLS)
  test(`${command} is a call of ${tool}`, () => {
    const { text, call } = callFor(toType('do it', command, 'pays'));
    assert.equal([text, call], ['do it', { tool, arguments: given }]);
  });

for (const command of [
  'tollgate budget fix --set 12',
  'tollgate budget fix --set 4 && tollgate run fix',
  'tollgate run fix --force',
  "tollgate run './my jobs/q1' --redo a --redo b",
  String.raw`tollgate run '/it'\''s/q1/'`,
  'tollgate run ../other/.tmp/task/fix',
  'tollgate supervise ../other/.tmp/task/fix/',
  'tollgate explain /other/.tmp/task/fix',
  'tollgate run fix --redo',
  'tollgate supervise --resume fix',
  'tollgate recover s-1',
  'npm install -g @openai/codex',
  'git -C /tollgate worktree remove x',
])
  test(`${command} is left to the user`, () => {
    assert.equal(callFor(toType('do it', command)), {
      text: `ask the user to type a command. To do it: \`${command}\``,
      pays: false,
      changes: null,
    });
  });

test('actions are found wherever a command prints them, and nothing else is changed', () => {
  const run = toType('continue', 'tollgate run fix', 'pays');
  const call = { text: 'continue', pays: true, changes: null, call: { tool: 'run_task', arguments: { task: 'fix' } } };
  assert.equal(withCalls({ tasks: [{ next_action: run }, { next_action: null }], next_actions: [run, toDo('read')] }), {
    tasks: [{ next_action: call }, { next_action: null }],
    next_actions: [call, toDo('read')],
  });
  assert.equal(withCalls({ answer: 'tollgate run fix', list: [1, 'a'] }), {
    answer: 'tollgate run fix',
    list: [1, 'a'],
  });
});

test.run();
