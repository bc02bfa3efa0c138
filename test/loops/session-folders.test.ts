// A session that is good for one folder alone is continued there and nowhere else; each folder of a tag has its own.

import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { SessionEntry } from '../../policies/session/session-entry.ts';
import { keepEntries } from '../rig/kept-entries.ts';
import { makeSession, SESSION_IDS } from '../rig/session-files.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('session folders');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const BOUND: BuiltIn[] = ['copilot', 'gemini'];
const [HERE, THERE] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
const TAG = 'the login';

const stageOf = (tool: BuiltIn) => ({ tool, role: 'review', ...ANY_ANSWER });
const file = (rig: TestRig) => path.join(rig.project, '.tmp/state/sessions.json');
const kept = (rig: TestRig) =>
  JSON.parse(readFileSync(file(rig), 'utf8')) as { active_sessions: Record<string, Record<string, SessionEntry>> };

/** As a version wrote it that knew one session of a tag and tool alone. */
const keep = (rig: TestRig, tool: BuiltIn, session_id: string) => keepEntries(rig, tool, { [TAG]: { session_id } });

/** The session that each call was told to continue in. */
const asked = (rig: TestRig) =>
  rig.calls.map(({ report: { argv } }) => {
    if (!argv.some((word) => /^(?:--resume\b|resume$)/.test(word))) return null;
    return argv.find((word) => /[0-9a-f]{8}-[0-9a-f-]{27}/.test(word))!.replace(/^--resume=/, '');
  });

const elsewhere = (rig: TestRig): string => {
  const folder = path.join(rig.root, 'elsewhere');
  mkdirSync(folder);
  return folder;
};

const sessionIn = (rig: TestRig, tool: BuiltIn, project: string) =>
  makeSession(tool, { home: rig.home, project }, [{ prompt: `[Feature: ${TAG}]\n\nDo it.`, answer: 'done' }]);

for (const tool of BOUND)
  test(`${tool}: a session that works in another folder is left there, with a word on where the work stands`, async ({
    rig,
  }) => {
    const there = elsewhere(rig);
    sessionIn(rig, tool, there);
    keep(rig, tool, SESSION_IDS[tool]);
    rig.answer((call) => answerWith(call.report.tool, 'fine', HERE));
    const { code, report, summary } = await makeTask(rig, { stages: [stageOf(tool)], meta: { feature: TAG } }).run();
    assert.equal([code, asked(rig), report.stages[0]!.session], [0, [null], 'new'], summary);
    assert.match(summary, `a fresh session takes the place of ${SESSION_IDS[tool]}: it works in ${there}`);
    assert.match(rig.calls[0]!.report.stdin.text, /^\[Feature: the login\]\n\n# State of the work\n/);
  });

for (const tool of BOUND)
  test(`${tool}: two folders of one tag continue in a session each`, async ({ rig }) => {
    const inner = path.join(rig.project, 'inner');
    mkdirSync(inner);
    rig.answer(({ report }) => answerWith(report.tool, 'fine', report.cwd === inner ? THERE : HERE));
    for (const [id, cwd] of [
      ['one', '.'],
      ['two', 'inner'],
      ['three', '.'],
      ['four', 'inner'],
    ] as const) {
      const { code, summary } = await makeTask(rig, { stages: [stageOf(tool)], meta: { feature: TAG }, cwd }, id).run();
      assert.is(code, 0, summary);
    }
    assert.equal(asked(rig), [null, null, HERE, THERE]);
    assert.equal(Object.keys(kept(rig).active_sessions[TAG]!), [`${tool}@${rig.project}`, `${tool}@${inner}`]);
    const { code } = await rig.run('tollgate', ['sessions', 'forget', TAG]);
    assert.equal([code, kept(rig).active_sessions], [0, {}]);
  });

test('codex works where it is resumed: its session serves both folders', async ({ rig }) => {
  mkdirSync(path.join(rig.project, 'inner'));
  rig.answer(({ report }) => answerWith(report.tool, 'fine', HERE));
  for (const [id, cwd] of [
    ['one', '.'],
    ['two', 'inner'],
  ] as const)
    await makeTask(rig, { stages: [stageOf('codex')], meta: { feature: TAG }, cwd }, id).run();
  assert.equal([asked(rig), Object.keys(kept(rig).active_sessions[TAG]!)], [[null, HERE], ['codex']]);
});

for (const tool of BOUND)
  test(`${tool}: an entry of an older version is taken on where it was made`, async ({ rig }) => {
    keep(rig, tool, HERE);
    rig.answer(({ report }) => answerWith(report.tool, 'fine', HERE));
    await makeTask(rig, { stages: [stageOf(tool)], meta: { feature: TAG } }).run();
    assert.equal([asked(rig), Object.keys(kept(rig).active_sessions[TAG]!)], [[HERE], [`${tool}@${rig.project}`]]);
  });

for (const tool of BOUND)
  test(`${tool}: a session of another folder that a task names is refused, and nothing is asked`, async ({ rig }) => {
    const there = elsewhere(rig);
    sessionIn(rig, tool, there);
    const manifest = { stages: [stageOf(tool)], meta: { session_id: SESSION_IDS[tool] } };
    const { code, said } = await makeTask(rig, manifest).run();
    assert.equal([code, rig.calls.length], [2, 0], said);
    assert.match(
      said,
      `stage ${tool}_review: meta.session_id: ${tool} session ${SESSION_IDS[tool]} works in ${there}, and this is ${rig.project}: run it there, or begin a session of this folder`,
    );
  });

for (const tool of BOUND)
  test(`${tool}: a wrapper refuses to continue in a session of another folder`, async ({ rig }) => {
    const there = elsewhere(rig);
    sessionIn(rig, tool, there);
    const { record, said } = await runWrapper(rig, tool, ['--resume-session', SESSION_IDS[tool]]).ended();
    assert.equal([record.ending, record.verdict.reason, rig.calls.length], ['not_started', 'session_elsewhere', 0]);
    assert.match(said, `works in ${there}, and this is ${rig.project}`);
  });

test('copilot is told the folder to work in when it continues in a session', async ({ rig }) => {
  rig.answer(({ report }) => answerWith(report.tool, 'fine', HERE));
  await runWrapper(rig, 'copilot', ['--resume-session', HERE]).ended();
  const { argv } = rig.calls[0]!.report;
  assert.is(argv[argv.indexOf('-C') + 1], rig.project);
});

test('a session that is taken on from another folder is kept for that one, with a word', async ({ rig }) => {
  const there = elsewhere(rig);
  sessionIn(rig, 'copilot', there);
  const words = ['sessions', 'adopt', TAG, SESSION_IDS.copilot, '--tool=copilot'];
  const { code, stderr } = await rig.run('tollgate', words);
  assert.is(code, 0, stderr);
  assert.match(
    stderr,
    `copilot session ${SESSION_IDS.copilot} works in ${there}: only tasks that run there continue in it`,
  );
  assert.equal(Object.keys(kept(rig).active_sessions[TAG]!), [`copilot@${there}`]);
});

test.run();
