// What a review found, out of its answer, and where.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { placeIn, withinTree } from '../../../policies/report/problem.ts';
import { findingsOf } from '../../../policies/report/review-findings.ts';

const ROOT = '/home/me/project';

/** Severity, level, place in short. */
function told(answer: string) {
  return findingsOf(answer, ROOT).map(({ severity, level, place }) => [
    severity,
    level,
    place === null ? null : `${place.path}:${place.line}${place.endLine === null ? '' : `-${place.endLine}`}`,
  ]);
}

const ITEMS: [item: string, told: unknown[] | null][] = [
  ['- `blocker`; `src/a.ts:12`; it loses data', ['blocker', 'error', 'src/a.ts:12']],
  ['* **Major** – src/a.ts:12-20 – races', ['major', 'error', 'src/a.ts:12-20']],
  ['1. minor: ./src/b.ts:3:7 is named badly', ['minor', 'warning', 'src/b.ts:3']],
  ['- [nit] naming', ['nit', 'note', null]],
  [`- \`major\`; \`${ROOT}/lib/c.py:9\`: wrong`, ['major', 'error', 'lib/c.py:9']],
  ['- major\n  in `x/y.go:4`,\n  which is wrong', ['major', 'error', 'x/y.go:4']],
  ['- error handling is missing in `src/a.ts:12`', [null, 'warning', 'src/a.ts:12']],
  ['- major; ../../etc/passwd:1, /etc/passwd:1 and https://x.test:8080', ['major', 'error', null]],
  ['- minor; .git/config:1', ['minor', 'warning', null]],
  ['- blocker src/a.ts:12 - it loses data', ['blocker', 'error', 'src/a.ts:12']],
  [`- major \`${'deep/'.repeat(20)}a.ts:12\` races`, ['major', 'error', `${'deep/'.repeat(20)}a.ts:12`]],
  ['- None. I have read `src/a.ts`.', null],
  ['- Error handling:3 is missing', null],
  ['- High p95:200 ms latency', null],
  ['- Error {"code":5} is swallowed', null],
  ['- Low 12:30 UTC is when the job runs', null],
  ['- Note http://localhost:8080/health answers', null],
  ['- major build/Makefile:3 lacks a rule', ['major', 'error', 'build/Makefile:3']],
  ['None.', null],
];
for (const [item, expected] of ITEMS)
  test(item.split('\n')[0]!, () => {
    const answer = `# Review\n\n## Findings\n\n${item}\n\n## Verdict\n\nPASS\n- major; \`no/finding.ts:1\`\n`;
    assert.equal(told(answer), expected === null ? [] : [expected]);
  });

test('an item holds what stands deeper, and code is no item', () => {
  const answer =
    '## Findings\n\n- major; `a.ts:1`\n  - minor; `b.ts:2`\n\n```\n- major; `c.ts:3`\n```\n- minor; `d.ts:4`\n';
  assert.equal(told(answer), [
    ['major', 'error', 'a.ts:1'],
    ['minor', 'warning', 'd.ts:4'],
  ]);
});

test('an answer that is JSON, by the names that such reviews use', () => {
  const findings = [
    { severity: 'Critical', file: 'src/a.ts', line: 3, message: 'lost' },
    { level: 'whatever', path: './src/b.ts', start_line: 3, end_line: 9, title: 'x' },
    { severity: 'low', file: '/etc/passwd', line: -1, text: 'see src/c.ts:7' },
    { severity: 'low', file: 'src/d.ts' },
    null,
  ];
  const expected = [
    ['critical', 'error', 'src/a.ts:3'],
    [null, 'warning', 'src/b.ts:3-9'],
    ['low', 'warning', 'src/c.ts:7'],
  ];
  assert.equal(told(JSON.stringify({ findings })), expected);
  assert.equal(told(`\`\`\`json\n${JSON.stringify(findings)}\n\`\`\`\n`), expected);
});

test('a hostile answer costs no more than its length, and names no place outside', () => {
  const long = `## Findings\n\n- ${'a/'.repeat(200_000)}:${'1'.repeat(200_000)} ${'a.b-'.repeat(100_000)}\n${'- major\n'.repeat(50_000)}`;
  assert.is(findingsOf(long, ROOT).length, 1000);
  for (const named of ['..', 'a/../b', '/a', 'a//b', '', 'a\u202eb', 'a\u001b[31mb', 'a\\b', '.git/hooks/x'])
    assert.is(withinTree(named, ROOT), null, named);
  assert.equal(placeIn('größe/日本.ts:5', null), { path: 'größe/日本.ts', line: 5, endLine: null });
});

test.run();
