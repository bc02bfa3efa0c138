// The judgement of changes against the scope: which list, which glob, at which end of a rename, and how it is told.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Change } from '../../../policies/facts/gate-record.ts';
import { toDo } from '../../../policies/facts/next-action.ts';
import { askScope, judgeScope, outsideScope, type Scope, violationsFinding } from '../../../policies/gate/scope.ts';

const scope = (part: Partial<Scope>): Scope => ({ allow: [], deny: [], forbidden: [], ...part });

const ALLOWED = 'no list speaks against it';
const NOT_ALLOWED = 'no glob of scope.allow matches';
const INTERNAL = 'git\'s own files need a glob in scope.allow that names ".git"';

const ASKED: [path: string, part: Partial<Scope>, allowed: boolean, why: string][] = [
  ['src/a.ts', {}, true, ALLOWED],
  ['src/a.ts', { allow: ['src/**'] }, true, 'scope.allow "src/**"'],
  ['lib/a.ts', { allow: ['src/**'] }, false, NOT_ALLOWED],
  ['src/a.ts', { allow: ['src/**'], deny: ['**/a.ts'] }, false, 'scope.deny "**/a.ts"'],
  ['lib/a.ts', { deny: ['src/**'] }, true, ALLOWED],
  ['.env', { allow: ['**'], forbidden: ['.env'] }, false, 'security.forbidden_paths ".env"'],
  ['.env', { deny: ['.env'], forbidden: ['.env'] }, false, 'scope.deny ".env"'],
  ['.git/config', {}, false, INTERNAL],
  ['.git', {}, false, INTERNAL],
  ['.git/config', { allow: ['**'] }, false, INTERNAL],
  ['.git/config', { deny: ['**'] }, false, INTERNAL],
  ['.git/config', { allow: ['.git/config'] }, true, 'scope.allow ".git/config"'],
  ['.git/hooks/pre-commit', { allow: ['.git/config'] }, false, INTERNAL],
  ['.gitignore', {}, true, ALLOWED],
];
for (const [path, part, allowed, why] of ASKED)
  test(`${path} with ${JSON.stringify(part)}: ${allowed ? 'yes' : 'no'}`, () => {
    assert.equal(askScope(path, scope(part)), { allowed, why });
    assert.is(outsideScope(scope(part))(path), !allowed);
  });

test('a rename is judged at both ends', () => {
  const change: Change = { path: 'src/b.ts', how: 'renamed', from: 'lib/b.ts' };
  const judged = (part: Partial<Scope>) => judgeScope([change], scope(part));
  assert.equal(judged({}), []);
  assert.equal(judged({ deny: ['lib'] }), [{ path: 'lib/b.ts', how: 'renamed', list: 'deny', glob: 'lib' }]);
  assert.equal(judged({ allow: ['lib'] }), [
    { path: 'src/b.ts', how: 'renamed', from: 'lib/b.ts', list: 'allow', glob: null },
  ]);
  assert.is(judged({ allow: ['docs'] }).length, 2);
});

test('the finding names each path once, with the glob', () => {
  const changes: Change[] = [
    { path: 'secrets/key', how: 'modified' },
    { path: 'a\nb', how: 'added' },
  ];
  const violations = judgeScope(changes, scope({ allow: ['src'], deny: ['secrets/**'] }));
  assert.equal(violationsFinding(violations), {
    check: 'scope',
    class: 'scope_violation',
    reason: 'out_of_scope',
    missing: ['secrets/key (modified; scope.deny "secrets/**")', 'a\\nb (added; no glob of scope.allow matches)'],
    text: '2 changes are out of scope: secrets/key (modified; scope.deny "secrets/**"); a\\nb (added; no glob of scope.allow matches)',
    next_actions: [toDo('review these changes, and revert the unintended ones')],
    signed: ['deny secrets/**', 'allow -'],
  });
  assert.is(violationsFinding([]), null);
});

test('a thousand violations are listed up to 200, and told up to 5', () => {
  const changes = Array.from({ length: 1000 }, (_, i): Change => ({ path: `x${i}`, how: 'deleted' }));
  const finding = violationsFinding(judgeScope(changes, scope({ allow: ['src'] })))!;
  assert.equal([finding.missing.length, finding.missing[200]], [201, 'and 800 more']);
  assert.match(finding.text, /^1000 changes are out of scope: x0 .*; x4 \([^)]*\); and 995 more$/);
});

test.run();
