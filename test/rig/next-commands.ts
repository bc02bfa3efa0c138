// The ends of KINDS, each with its first command executed once what was wrong is mended.

import { rmSync } from 'node:fs';
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

/** Once whatever was wrong is mended: it changes a file, and says that all is well. */
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
  /** What a person does first, as the text of the action says. */
  mend?(world: NpxProject, task: PlacedTask): void;
  /** What the command does; without it, the task is done. */
  does?(world: NpxProject, task: PlacedTask, told: { code: number | null; stdout: string }): void;
}

function looksAtCodex(_world: NpxProject, _task: PlacedTask, { stdout }: { stdout: string }): void {
  assert.match(stdout, /^ok +codex version/m);
}

/** Where an end of KINDS needs more than an answer that is well. */
const SCENES: Record<string, Scene> = {
  auth: { does: looksAtCodex },
  'transient-retry-cut': { does: looksAtCodex },
  'quota-budget': { does: (_world, task) => assert.is(budgetOf(task.ledger()), 5) },
  'quota-tokens': { mend: edited((manifest) => Object.assign(manifest, { budgets: { max_tokens: 100_000 } })) },
  'contract-schema': { says: '{"verdict": "PASS", "findings": []}' },
  'contract-no-json': { says: '{"verdict": "PASS", "findings": []}' },
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

/** A suite of those that are wanted, to be run. */
export function nextCommands(title: string, wanted: (name: string) => boolean) {
  const test = suite<{ world: NpxProject }>(title);
  test.before.each(async (context) => {
    context.world = makeNpxProject(await TestRig.open());
  });
  test.after.each(({ world }) => world.rig.dispose());
  for (const [name, kind] of Object.entries(KINDS).filter(([name]) => !ENDS_WELL.includes(name) && wanted(name)))
    test(name, async ({ world }) => {
      const { rig, sh } = world;
      const scene = SCENES[name] ?? {};
      const { calls, flags = [], files = {}, during } = kind;
      // One that is stopped in its call is left without an answer.
      if (during === undefined) rig.answer(() => calls[Math.min(rig.calls.length, calls.length) - 1]!);
      const task = world.task(scene.manifest ?? kind.manifest, scene.folder);
      for (const [file, text] of Object.entries(files))
        world.write(path.relative(world.project, path.join(task.folder, file)), text);
      const line = `npx tollgate run '${task.word}' --json ${flags.join(' ')}`;
      let failed: { stdout: string; stderr: string };
      if (during === undefined) failed = await sh(line);
      else {
        const running = rig.start('tollgate', ['run', task.word, '--json'], {
          cwd: world.project,
          env: { npm_command: 'exec' },
        });
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
      const told = await sh(action.command);
      if (scene.does !== undefined) scene.does(world, task, told);
      else assert.is(told.code, 0, `${action.text}: ${action.command}\n${told.stdout}${told.stderr}`);
      assert.is(paid() > before, action.pays, `${action.text}: ${action.command}`);
    });

  return test;
}
