// A history that the service refuses after tools have run: what ran is kept and continued from, and never run once more.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { actionLine } from '../../policies/facts/next-action.ts';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import { type MadeTurn, makeSession, SESSION_IDS, sessionFile } from '../rig/session-files.ts';
import { answerWith, STREAMS, type Stream, write } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask, NO_REST } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('broken history');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.rig.write('tollgate.yaml', NO_REST);
});
test.after.each(({ rig }) => rig.dispose());

const REFUSALS = {
  gemini:
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
  codex: 'No tool output found for function call call_1.',
  copilot: 'No tool output found for function call call_1.',
  claude: 'API Error: 400 due to tool use concurrency issues.',
} as const satisfies Record<BuiltIn, string>;
const TOOLS = Object.keys(REFUSALS) as BuiltIn[];

const RAN = { name: 'shell', input: { command: 'deploy' }, output: 'deployed the shop' };
const GO_ON = 'Your last turn was cut off. Continue from where it stopped';

const manifestOf = (tool: BuiltIn) => ({ stages: [{ tool, role: 'review', access: 'full', ...ANY_ANSWER }] });

/** The fake runs its tool, and the service refuses what comes of it. @param kept what its session file holds of that. */
function refuse(rig: TestRig, tool: BuiltIn, prompt: string, kept: Partial<MadeTurn>) {
  const { opens, runsTool, fails }: Stream = STREAMS[tool];
  const id = SESSION_IDS[tool];
  makeSession(tool, rig, [{ prompt, ...kept }]);
  const lines = [...opens(id), ...runsTool(RAN.output), ...fails(REFUSALS[tool], 400, id)];
  return [write(lines), { do: 'exit', code: tool === 'gemini' ? 144 : 1 } as const];
}

const prompts = (rig: TestRig) => rig.calls.map(({ report }) => report.stdin.text);
const isKept = (rig: TestRig, tool: BuiltIn) =>
  existsSync(sessionFile(tool, rig.home)) && readFileSync(sessionFile(tool, rig.home), 'utf8').includes(RAN.output);

for (const tool of TOOLS)
  test(`${tool}: what ran is kept, and the session is continued`, async ({ rig }) => {
    rig.answer(({ report }) =>
      rig.calls.length === 1
        ? refuse(rig, tool, report.stdin.text, { tool: RAN })
        : answerWith(tool, 'fine', SESSION_IDS[tool]),
    );
    const { code, summary } = await makeTask(rig, manifestOf(tool)).run();
    assert.equal([code, rig.calls.length, isKept(rig, tool)], [0, 2, true], summary);
    assert.match(prompts(rig)[1]!, GO_ON);
    assert.not.match(prompts(rig)[1]!, 'Find out.');
    assert.ok(rig.calls[1]!.report.argv.some((word) => word.includes(SESSION_IDS[tool])));
  });

test('refused once more, the stage stops and says what to look at', async ({ rig }) => {
  const { opens, fails }: Stream = STREAMS.codex;
  const id = SESSION_IDS.codex;
  rig.answer(({ report }) =>
    rig.calls.length === 1
      ? refuse(rig, 'codex', report.stdin.text, { tool: RAN })
      : [write([...opens(id), ...fails(REFUSALS.codex, 400, id)]), { do: 'exit', code: 1 }],
  );
  const { code, report } = await makeTask(rig, manifestOf('codex')).run();
  assert.equal([code, rig.calls.length, report.failure?.reason, isKept(rig, 'codex')], [1, 2, 'broken_history', true]);
  assert.equal(report.next_actions.slice(0, 2).map(actionLine), [
    `repair the session, or remove its last step, without a paid call: \`tollgate recover ${id} --choose clear\``,
    'or review what its tools did, because a fresh session does not know it, then call codex again: `tollgate run fix`',
  ]);
});

for (const tool of TOOLS)
  test(`${tool}: where the session does not hold what ran, nothing is asked again`, async ({ rig }) => {
    rig.answer(({ report }) => refuse(rig, tool, report.stdin.text, {}));
    const { code, report } = await makeTask(rig, manifestOf(tool)).run();
    assert.equal([code, rig.calls.length], [1, 1], JSON.stringify(report.failure));
    assert.match(report.failure!.decision.why, 'had already run tools, and its session does not hold what they did');
    assert.match(
      readFileSync(path.join(rig.project, '.tmp/task/fix/outputs/_summary.md'), 'utf8'),
      'review what its tools did, because a fresh session does not know it',
    );
  });

test.run();
