// Tests that the first command of each end of KINDS works once the cause is fixed.

import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NextAction } from '../../policies/facts/next-action.ts';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import { budgetOf } from '../../state/journal/ledger.ts';
import type { FakeCommand } from './fake-call.ts';
import { KINDS } from './kinds-of-end.ts';
import { commandOf, edited, GUARDED, makeNpxProject, type NpxProject, type PlacedTask } from './npx-project.ts';
import { answerWith } from './streams.ts';
import { TestRig } from './test-rig.ts';

const PASSED = '## Findings\n\n- none\n- at all\n- here\n\n## Verdict\n\nPASS\n';
const DIFF = '```diff\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+two\n```\n';

/** After the cause is fixed: changes a file, and reports success. */
const well = (tool: BuiltIn, n: number, text = PASSED): FakeCommand[] => [
  { do: 'save', file: `src/new-${n}.ts`, text: 'new\n' },
  ...(answerWith(tool, text) as FakeCommand[]),
];

interface Scene {
  manifest?: object;
  calls?: (readonly FakeCommand[])[];
  folder?: string;
  /** What codex answers then. */
  says?: string;
  /** What the user does first, as the text of the action requests. */
  mend?(world: NpxProject, task: PlacedTask): void;
  /** Checks what the command does; without it, the task must be done. */
  does?(world: NpxProject, task: PlacedTask, told: { code: number | null; stdout: string }): void;
}

function looksAtCodex(_world: NpxProject, _task: PlacedTask, { stdout }: { stdout: string }): void {
  assert.match(stdout, /^ok +codex version/m);
}

/** The ends of KINDS that need more than a good answer. */
const SCENES: Record<string, Scene> = {
  auth: { does: looksAtCodex },
  'quota-budget': { does: (_world, task) => assert.is(budgetOf(task.ledger()), 5) },
  'quota-tokens': { mend: edited((manifest) => Object.assign(manifest, { budgets: { max_tokens: 100_000 } })) },
  'contract-schema': { says: '{"verdict": "PASS", "findings": []}' },
  'contract-no-diff': { says: DIFF },
  'contract-diff': { mend: ({ write }) => write('a.txt', 'one\n') },
  'contract-acceptance': { manifest: GUARDED, mend: ({ write }) => write('mended', '') },
  'contract-acceptance-of-another': {
    manifest: { ...KINDS['contract-acceptance-of-another']!.manifest, acceptance: GUARDED.acceptance },
    mend: ({ write }) => write('mended', ''),
  },
  scope: {
    mend({ project }) {
      for (const name of ['src/secret.ts', 'docs/a.md']) rmSync(path.join(project, name));
    },
  },
  'scope-judge': { folder: '.tmp/task/fix' },
};

const ENDS_WELL = ['done', 'done-after-a-retry', 'done-with-a-change'];

/** Ends that are not run here, because their first command is that of another end. */
const SAME_AS: Record<string, string> = {
  'contract-verdict-missing': 'contract-sections',
  'contract-two-findings': 'contract-sections',
  'contract-lines': 'contract-sections',
  'contract-refusal': 'contract-sections',
  'contract-no-json': 'contract-schema',
  'transient-empty-answer': 'transient',
  'transient-killed': 'prompt_too_large',
  'transient-retry-cut': 'auth',
  'unknown-with-a-stack': 'unknown',
};

/** Creates a suite of the selected ends. */
export function nextCommands(title: string, wanted: (name: string) => boolean) {
  const test = suite<{ world: NpxProject }>(title);
  test.before.each(async (context) => {
    context.world = makeNpxProject(await TestRig.open());
  });
  test.after.each(({ world }) => world.rig.dispose());
  const ends = Object.entries(KINDS).filter(
    ([name]) => ![...ENDS_WELL, ...Object.keys(SAME_AS)].includes(name) && wanted(name),
  );
  test('an end that is not run here has the first command of one that is', () => {
    for (const [name, other] of Object.entries(SAME_AS)) assert.is(firstCommand(name), firstCommand(other), name);
  });

  const realNpx = ends[0]![0];
  for (const [name, kind] of ends)
    test(name, async ({ world }) => {
      const { rig, sh, shReal } = world;
      const scene = SCENES[name] ?? {};
      const { calls, flags = [], files = {}, during } = kind;
      // A task that is stopped during its call gets no answer.
      if (during === undefined) rig.answer(() => calls[Math.min(rig.calls.length, calls.length) - 1]!);
      const task = world.task(scene.manifest ?? kind.manifest, scene.folder);
      for (const [file, text] of Object.entries(files))
        world.write(path.relative(world.project, path.join(task.folder, file)), text);
      // As npx starts it.
      const started = { cwd: world.project, env: { npm_command: 'exec' } };
      let failed: { stdout: string; stderr: string };
      if (during === undefined) failed = await rig.run('tollgate', ['run', task.word, '--json', ...flags], started);
      else {
        const running = rig.start('tollgate', ['run', task.word, '--json'], started);
        const fake = await rig.callBefore(running.result);
        assert.ok(fake, running.stderr);
        during(running);
        failed = await running.result;
      }
      const { next_actions, failure } = JSON.parse(failed.stdout) as {
        next_actions: NextAction[];
        failure: { tool: BuiltIn | null };
      };
      const action = commandOf(next_actions);
      assert.match(action.command, /^npx (?:tollgate|preflight) /);
      const paid = () => rig.calls.filter(({ report }) => failure.tool === null || report.tool === failure.tool).length;
      const before = paid();
      rig.answer(({ report: { tool } }) =>
        well(tool as BuiltIn, rig.calls.length, tool === 'codex' ? (scene.says ?? PASSED) : PASSED),
      );
      scene.mend?.(world, task);
      // One end of each file goes through npm's npx.
      const told = await (name === realNpx ? shReal : sh)(action.command);
      if (scene.does !== undefined) scene.does(world, task, told);
      else assert.is(told.code, 0, `${action.text}: ${action.command}\n${told.stdout}${told.stderr}`);
      assert.is(paid() > before, action.pays, `${action.text}: ${action.command}`);
    });

  return test;
}

/** Of the golden summary, without the names of its stages. */
const firstCommand = (name: string): string =>
  /^- .*`(tollgate .*?)`$/m
    .exec(readFileSync(`test/loops/summaries/${name}.md`, 'utf8'))![1]!
    .replace(/codex_\w+/, 'STAGE');
