// tollgate report in the forms that other programs read, over real runs and over texts that would be markup.

import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderHtml } from '../../../../bin/tollgate/report/html-page.ts';
import { renderJunit } from '../../../../bin/tollgate/report/junit-page.ts';
import type { TasksReport } from '../../../../loops/report/collect.ts';
import { toDo } from '../../../../policies/facts/next-action.ts';
import { failureSentence } from '../../../../policies/report/failure-sentence.ts';
import { sarifMistakes } from '../../../rig/sarif.ts';
import { validatorOf } from '../../../rig/schemas/validator.ts';
import { answerWith, failWith } from '../../../rig/streams.ts';
import { makeTask } from '../../../rig/task-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';
import { readXml, type XmlElement } from '../../../rig/xml.ts';

const test = suite<{ rig: TestRig }>('formats of the report');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const REVIEW = `## Findings

- \`major\`; \`src/größe a.ts:12-14\`; <script>alert(1)</script> & "worse"
- \`minor\`; \`src/b.ts:3\`; ::error file=x::y

## Verdict

FAIL
`;
const EVIL = 'Quota exceeded </style></script><img src=x onerror=alert(1)> ]]> \u001b[31m\u202e & "x" %0A';

/** One whose review found something, one that its gate did not let pass, one that failed, one never run, one not readable. */
async function everyKind(rig: TestRig): Promise<void> {
  const task = (id: string, role = 'review') => makeTask(rig, { stages: [{ tool: 'codex', role }] }, id);
  for (const [id, answer] of [
    ['found', answerWith('codex', REVIEW)],
    ['refused', answerWith('codex', 'Nothing to say.')],
    ['broken', failWith('codex', EVIL, 429)],
  ] as const) {
    rig.answer(() => answer);
    await task(id).run();
  }
  task('new');
  rig.write('.tmp/task/later/state/journal.jsonl', '{"v":2,"at":"2026-11-22T00:00:00.000Z","fact":"stage"}\n');
}

async function report(rig: TestRig, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await rig.run('tollgate', ['report', ...argv]);
  assert.equal([code, stderr], [0, '']);
  return stdout;
}

test('the place of a finding holds no secret, of the environment or of the patterns of its manifest', async ({
  rig,
}) => {
  rig.env.OPENAI_API_KEY = 'plain-value-of-a-key-77';
  rig.answer(() =>
    answerWith(
      'codex',
      '## Findings\n\n- `major`; `src/plain-value-of-a-key-77.ts:3`; customer CUST-4711\n- `major`; `src/CUST-4711.ts:3`; look\n\n## Verdict\n\nFAIL\n',
    ),
  );
  const stages = [{ tool: 'codex', role: 'review' }];
  await makeTask(rig, { stages, security: { redaction_patterns: ['CUST-\\d+'] } }, 'found').run();
  for (const format of ['sarif', 'html', 'github', 'gitlab']) {
    const shown = await report(rig, '--format', format);
    assert.match(shown, /REDACTED/);
    assert.not.match(shown, /plain-value-of-a-key-77|CUST-4711/);
  }
});

test('no format for another machine names a path of this one', async ({ rig }) => {
  const at = `${rig.project}/src/b.ts`;
  for (const [id, answer] of [
    ['found', answerWith('codex', `## Findings\n\n- \`medium\`; \`${at}:3\`; ${at} is long\n\n## Verdict\n\nFAIL\n`)],
    ['broken', failWith('codex', `Quota exceeded in ${at}`, 429)],
  ] as const) {
    rig.answer(() => answer);
    await makeTask(rig, { stages: [{ tool: 'codex', role: 'review' }] }, id).run();
  }
  rig.write('.tmp/task/later/state/journal.jsonl', '{"v":2,"at":"2026-11-22T00:00:00.000Z","fact":"stage"}\n');
  assert.match(await report(rig, '--format=json'), at);
  for (const format of ['md', 'html', 'junit', 'sarif', 'github', 'gitlab']) {
    const page = await report(rig, `--format=${format}`);
    assert.not.match(page, rig.project, format);
    assert.match(page, 'src/b.ts', format);
  }
  assert.equal(
    JSON.parse(await report(rig, '--format=gitlab')).map(({ severity }: { severity: string }) => severity),
    ['major'],
  );
});

test('each format, the summary and tollgate explain say what happened with the same sentence', async ({ rig }) => {
  rig.answer(() => failWith('codex', 'Quota exceeded. Check your plan and billing details.', 429));
  const sentence = failureSentence({ class: 'quota', reason: 'plan', tool: 'codex' });
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'review' }] });
  await task.run();
  const pages: [string, string][] = [['summary', task.read('outputs/_summary.md')]];
  pages.push(['explain', (await rig.run('tollgate', ['explain', 'fix'])).stdout]);
  for (const format of ['json', 'html', 'junit', 'sarif', 'github'])
    pages.push([format, await report(rig, '--format', format)]);
  for (const [name, shown] of pages) assert.match(shown, sentence, name);
});

test('sarif: findings at their lines are results, the rest are notifications; it is valid', async ({ rig }) => {
  await everyKind(rig);
  const log = JSON.parse(await report(rig, '--format=sarif'));
  assert.equal(sarifMistakes(log), []);
  assert.is.not(sarifMistakes({ ...log, version: '2.0' }).length, 0);
  const [run] = log.runs;
  // biome-ignore lint/suspicious/noExplicitAny: a published format
  const results = run.results.map(({ ruleId, level, locations: [{ physicalLocation }] }: any) => [
    ruleId,
    level,
    physicalLocation.artifactLocation.uri,
    physicalLocation.region,
  ]);
  assert.equal(results, [
    ['review/major', 'error', 'src/gr%C3%B6%C3%9Fe%20a.ts', { startLine: 12, endLine: 14 }],
    ['review/minor', 'warning', 'src/b.ts', { startLine: 3 }],
  ]);
  assert.equal(
    run.invocations[0].toolExecutionNotifications.map(
      ({ descriptor }: { descriptor: { id: string } }) => descriptor.id,
    ),
    ['failure/quota', 'gate/sections', 'gate/lines', 'report/unreadable'],
  );
  const again = JSON.parse(await report(rig, '--format=sarif'));
  assert.equal(again.runs[0].results, run.results);
});

test('github: an annotation each', async ({ rig }) => {
  await everyKind(rig);
  const lines = (await report(rig, '--format=github')).trimEnd().split('\n');
  assert.ok(lines.every((line) => /^::(error|warning) [^:]*::/.test(line)));
  assert.ok(
    lines.some((line) => line.startsWith('::warning file=src/b.ts,line=3,title=found codex_review%3A review/minor::')),
  );
});

test('gitlab: a code quality report of what was found at a file, each once', async ({ rig }) => {
  await everyKind(rig);
  const entries = JSON.parse(await report(rig, '--format=gitlab')) as Record<string, unknown>[];
  assert.equal(
    entries.map(({ check_name, severity, location }) => [check_name, severity, location]),
    [
      ['review/major', 'critical', { path: 'src/größe a.ts', lines: { begin: 12, end: 14 } }],
      ['review/minor', 'minor', { path: 'src/b.ts', lines: { begin: 3 } }],
    ],
  );
  for (const { description, fingerprint } of entries)
    assert.match(`${description} ${fingerprint}`, /^found codex_review: .* [0-9a-f]{64}$/);
  assert.is(new Set(entries.map(({ fingerprint }) => fingerprint)).size, 2);
});

/** `suite case: how`, in order. */
const casesIn = ({ children }: XmlElement): string[] =>
  children.flatMap((each) =>
    each.children.map(
      ({ attributes, children: [wrong] }) => `${attributes.classname} ${attributes.name}: ${wrong?.name ?? 'passed'}`,
    ),
  );

test('junit: a suite a task, a case a stage; it is valid', async ({ rig }) => {
  await everyKind(rig);
  const document = await report(rig, '--format=junit');
  const root = readXml(document);
  assert.equal(casesIn(root), [
    'broken codex_review: error',
    'refused codex_review: failure',
    'found codex_review: system-out',
    'new (task): skipped',
    '.tmp/task/later (task): error',
  ]);
  const { tests, failures, errors, skipped } = root.attributes;
  assert.equal([tests, failures, errors, skipped], ['5', '1', '2', '1']);
  validByXsd(document);
});

test('junit: a verdict of FAIL that fails the run is a failure of its stage, and no error of the call', async ({
  rig,
}) => {
  rig.answer(() => answerWith('codex', REVIEW));
  const { code } = await makeTask(rig, { stages: [{ tool: 'codex', role: 'review' }] }).run('--fail-on-verdict');
  const document = await report(rig, '--format=junit');
  assert.equal([code, casesIn(readXml(document))], [1, ['fix codex_review: failure']]);
  validByXsd(document);
});

/** By xmllint where there is one; the strict reader above is everywhere. */
function validByXsd(document: string): void {
  const { error, status, stderr } = spawnSync('xmllint', ['--noout', '--schema', 'test/rig/published/junit.xsd', '-'], {
    input: document,
    encoding: 'utf8',
  });
  if (error === undefined) assert.is(status, 0, stderr);
}

test('html: one page that loads nothing, and shows what others would obey', async ({ rig }) => {
  await everyKind(rig);
  const page = await report(rig, '--format=html');
  assert.match(page, "content=\"default-src 'none'; style-src 'unsafe-inline'\"");
  assert.not.match(page, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  const tags = page.match(/<[a-z][^>]*>/g)!;
  assert.equal(
    tags.filter((tag) => /^<(?:script|img|link|iframe|object|base)|\son|src=|url\(|href="(?!#)/.test(tag)),
    [],
  );
  assert.match(page, '&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;worse&quot;');
  assert.match(page, 'src/größe a.ts:12');
  assert.match(page, /<td>codex<\/td><td>3<\/td>/);
});

test('--spent: by day and CLI, in text, json and md', async ({ rig }) => {
  await everyKind(rig);
  const json = JSON.parse(await report(rig, '--json', '--spent')) as TasksReport;
  assert.ok(validatorOf('TASKS_SCHEMA')(json as unknown));
  assert.equal(
    (json.spent ?? []).map(({ tool, calls }) => [tool, calls]),
    [['codex', 3]],
  );
  assert.match(await report(rig, '--spent'), /^DAY +CLI +CALLS +TOKENS +USD +TIME$/m);
  assert.match(await report(rig, '--spent', '--format=md'), /\n## Spent\n\n\| day \|/);
  assert.not.match(await report(rig), 'CALLS  TOKENS');
});

const ROW: TasksReport['tasks'][number] = {
  task_id: 'a-task',
  folder: '/x',
  state: 'failed',
  at: '2026-01-01T00:00:00.000Z',
  stage: 'gemini_review',
  tool: 'gemini',
  class: 'quota',
  reason: 'plan',
  sentence: 'The usage limit is used up.',
  signature: `v1:${'0'.repeat(64)}`,
  evidence: `${EVIL} ${'<'.repeat(100_000)}`,
  since: '2026-01-01T00:00:00.000Z',
  count: 1,
  retry_at: null,
  calls: { used: 1, budget: 10 },
  next_action: toDo('x'.repeat(10_000)),
  checked_at: null,
  checked_by: null,
  lacks: [],
  supervision: null,
  stages: [
    {
      ...{ stage: 'gemini_review', tool: 'gemini', state: 'failed_earlier', exit_code: 1, duration_ms: 1, tokens: 1 },
      ...{ checked_at: null, checked_by: null, lacks: [] },
      ...{ answer: null, gate: null, verdict: null, class: 'quota', reason: 'plan', retry_at: null, session_id: null },
      ...{ evidence: { source: 'stderr', text: EVIL, rule: 'quota-plan' }, left_out: [], stand_ins: [] },
    } as TasksReport['tasks'][number]['stages'][number],
  ],
};

test('1,000 failures: under 2 MB of HTML, and XML that is well-formed', () => {
  const tasks = Array.from({ length: 1000 }, (_, i) => ({ ...ROW, task_id: `task-${i}` }));
  const group = {
    ...ROW,
    class: 'quota',
    sentence: ROW.sentence!,
    task_ids: tasks.map(({ task_id }) => task_id),
    first_seen: null,
    last_seen: null,
  };
  const states = { done: 0, failed: 1000, interrupted: 0, refused: 0, parked: 0, running: 0, never_run: 0 };
  const totals = { ...states, tasks: 1000, unreadable: 0 };
  const many: TasksReport = { schema: 1, at: ROW.at!, folder: '/x', totals, tasks, groups: [group], unreadable: [] };
  const page = renderHtml(many, [], []);
  const bytes = Buffer.byteLength(page);
  assert.ok(bytes < 2_000_000, `${bytes}`);
  assert.match(page, '<a href="#t999">task-999</a>');
  assert.is(readXml(renderJunit(many)).children.length, 1000);
});

const MISTAKES: [argv: string[], said: string][] = [
  [['--batch=last', '--format=html'], '--batch supports only the formats text, json, md; leave --format html out'],
  [['--errors', '--spent'], '--errors and --spent do not go together; leave one of them out'],
];
for (const [argv, said] of MISTAKES)
  test(argv.join(' '), async ({ rig }) => {
    const { code, stderr } = await rig.run('tollgate', ['report', ...argv]);
    assert.equal([code, stderr], [2, `tollgate report: ${said}\n`]);
  });

test.run();
