// The pipelines over three real CLIs and the loopback model API: each stage one call that passes its gate, a second run none.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RunReport } from '../../loops/run/report.ts';
import { PIPELINES, type PipelineName } from '../../policies/manifest/pipelines.ts';
import { ROLES } from '../../policies/manifest/roles.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { RealHome } from './real-home.ts';

const test = suite<{ api: ModelApi }>('pipelines');
test.before.each(async (context) => {
  context.api = await startModelApi();
});
test.after.each(({ api }) => api.close());

/** Passes the gate of every role: whoever may write also changes the tree. */
const SECTIONS = [...new Set(Object.values(ROLES).flatMap(({ requires }) => [...requires]))];
/** A verdict is PASS or FAIL on the first line of its section; what stands under the others is no matter. */
const TEXT = (name: string) => (name === 'Verdict' ? 'PASS' : '- one\n- two\n- three');
const ANSWER = SECTIONS.map((name) => `## ${name}\n\n${TEXT(name)}\n`).join('\n');
const WORK = `work=echo changed >> changed-by-agent.txt\n${ANSWER}`;

const NAMES = Object.keys(PIPELINES) as PipelineName[];
const stagesOf = (name: PipelineName): string[] => PIPELINES[name].map(({ tool, role }) => `${tool} ${role}`);
/** A longer pipeline has each of its stages. */
const isPart = (name: PipelineName): boolean =>
  NAMES.some((longer) => {
    const stages = stagesOf(longer);
    return stages.length > stagesOf(name).length && stagesOf(name).every((stage) => stages.includes(stage));
  });

for (const name of NAMES.filter((each) => !isPart(each)))
  test(`${name}: every stage is done by its real CLI`, async ({ api }) => {
    const home = new RealHome(['gemini', 'copilot', 'codex'], api.url(WORK));
    try {
      spawnSync('git', ['init', '--quiet', home.project]);
      const stages = PIPELINES[name].map(({ tool, role }) => ({ tool, role, access: accessOf(role) }));
      const manifest = {
        task_id: 'fix',
        goal: 'Change the file.',
        pipeline: name,
        stages,
        acceptance: { commands: ['true'] },
      };
      home.write('.tmp/task/fix/manifest.json', JSON.stringify(manifest));
      const run = async (): Promise<RunReport> => {
        const { stdout, stderr } = await home.start('tollgate', ['run', 'fix', '--json', '--trust-workspace']).result;
        if (stdout === '') throw new Error(stderr);
        return JSON.parse(stdout);
      };
      const report = await run();
      const summary = readFileSync(path.join(home.project, '.tmp/task/fix/outputs/_summary.md'), 'utf8');
      assert.equal([report.exit_code, report.budget.used], [0, stages.length], summary);
      assert.ok(
        report.stages.every(({ state, gate }) => state === 'done' && gate === 'passed'),
        summary,
      );
      assert.equal(home.survivors(), []);
      const again = await run();
      assert.equal([again.exit_code, again.budget.used], [0, stages.length]);
    } finally {
      await home.dispose();
    }
  });

test.run();

/** In this sandbox of a test the CLIs' own sandboxes are not what is tried. */
const accessOf = (role: keyof typeof ROLES) => (ROLES[role].access === 'write' ? 'full' : 'read');
