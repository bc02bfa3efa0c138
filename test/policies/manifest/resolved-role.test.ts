// What a stage's role comes to: the built-in row under the project's under the stage's own words.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NO_PROJECT_FILE, type ProjectRole } from '../../../policies/manifest/project-file.ts';
import { type ResolvedRole, resolveRole, type StageWords } from '../../../policies/manifest/resolved-role.ts';
import { ROLES } from '../../../policies/manifest/roles.ts';

const resolve = (stage: Partial<StageWords>, roles: Record<string, ProjectRole> = {}, trust?: 'untrusted') =>
  resolveRole({ name: 's', role: 'impl', ...stage }, { ...NO_PROJECT_FILE, roles }, trust ?? 'trusted');

const BUILT_IN = { requires: ROLES.impl.requires, minLines: ROLES.impl.minLines };

const ROWS: [
  what: string,
  stage: Partial<StageWords>,
  roles: Record<string, ProjectRole>,
  expected: Partial<ResolvedRole>,
][] = [
  [
    'as it is',
    {},
    {},
    { ...BUILT_IN, access: 'write', template: { from: 'built_in', role: 'impl' }, answersWithDiff: false },
  ],
  ['without the right to write', { access: 'read' }, {}, { access: 'read', answersWithDiff: true, changesTree: true }],
  ['without a diff all the same', { access: 'read', diff: false }, {}, { answersWithDiff: false }],
  ['a review with a diff', { role: 'review', diff: true }, {}, { access: 'read', answersWithDiff: true }],
  [
    "the stage's own prompt",
    { prompt: 'p.md' },
    {},
    { requires: [], minLines: 0, template: { from: 'task', file: 'p.md' } },
  ],
  ['its own prompt and words', { prompt: 'p.md', requires: ['A'], min_lines: 2 }, {}, { requires: ['A'], minLines: 2 }],
  ['a JSON answer', { schema: {} }, {}, { requires: [], minLines: 0 }],
  [
    'a project row without a template',
    {},
    { impl: { requires: ['B'] } },
    { requires: ['B'], minLines: BUILT_IN.minLines },
  ],
  [
    'a project template',
    {},
    { impl: { template: 't.md', min_lines: 7 } },
    { requires: [], minLines: 7, template: { from: 'project', file: 't.md' } },
  ],
  [
    'both',
    { prompt: 'p.md' },
    { impl: { template: 't.md', requires: ['B'] } },
    { requires: [], template: { from: 'task', file: 'p.md' } },
  ],
  [
    'a role of the project',
    { role: 'audit' },
    { audit: { template: 'a.md', access: 'write', reads: ['impl'] } },
    { name: 'audit', access: 'write', reads: ['impl'], changesTree: false, requires: [] },
  ],
  ['a role of the task alone', { role: 'audit', prompt: 'p.md' }, {}, { access: 'read', reads: [], minLines: 0 }],
];

for (const [what, stage, roles, expected] of ROWS)
  test(what, () => {
    const resolved = resolve(stage, roles);
    if (resolved.how === 'invalid') throw new Error(resolved.message);
    for (const [key, value] of Object.entries(expected))
      assert.equal(resolved.role[key as keyof ResolvedRole], value, key);
  });

const KNOWN = Object.keys(ROLES).join(', ');
const OWN = 'give the stage a prompt of its own (a file in the task folder)';

test('a role that nobody knows, and the nearest one', () => {
  assert.equal(resolve({ role: 'reviw' }), {
    how: 'invalid',
    message: `stage s: there is no role "reviw"; did you mean "review"? The built-in ones are ${KNOWN}; for another one add it to tollgate.yaml with a template, or ${OWN}`,
  });
  assert.equal(resolve({ role: 'toString' }), {
    how: 'invalid',
    message: `stage s: there is no role "toString". The built-in ones are ${KNOWN}; for another one add it to tollgate.yaml with a template, or ${OWN}`,
  });
});

test('a role of tollgate.yaml that has no template, or does not count', () => {
  assert.equal(resolve({ role: 'audit' }, { audit: {} }), {
    how: 'invalid',
    message: `stage s: the role "audit" of tollgate.yaml has no template; give it one, or ${OWN}`,
  });
  assert.equal(resolve({ role: 'audit' }, { audit: { template: 'a.md' } }, 'untrusted'), {
    how: 'invalid',
    message: `stage s: the role "audit" is one of tollgate.yaml, which counts only in a trusted workspace; use --trust-workspace, or ${OWN}`,
  });
});

test('whoever must change the tree and may only read answers with a diff', () => {
  const answers = (stage: Partial<StageWords>) => {
    const resolved = resolve(stage);
    return resolved.how === 'read' && resolved.role.answersWithDiff;
  };
  for (const [role, { changesTree }] of Object.entries(ROLES)) {
    assert.is(answers({ role, access: 'read' }), changesTree);
    assert.is(answers({ role, access: 'write' }), false);
    assert.is(answers({ role, access: 'full', diff: true }), true);
  }
});

test.run();
