// Sessions by tag with the real CLIs and the loopback model API, seen from the requests that they send.

import { rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RunReport } from '../../loops/run/report.ts';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { ANY_ANSWER } from '../rig/task-run.ts';
import { RealHome } from './real-home.ts';

const test = suite<{ api: ModelApi }>('tagged');
test.before.each(async (context) => {
  context.api = await startModelApi();
});
test.after.each(({ api }) => api.close());

const FEATURE = 'the login';

function makeTask(home: RealHome, tool: BuiltIn, id: string): void {
  const manifest = {
    task_id: id,
    goal: `Say a word about ${id}.`,
    meta: { feature: FEATURE },
    stages: [{ tool, role: 'review', ...ANY_ANSWER }],
  };
  home.write(`.tmp/task/${id}/manifest.json`, JSON.stringify(manifest));
}

async function run(home: RealHome, id: string): Promise<RunReport> {
  const { stdout, stderr } = await home.start('tollgate', ['run', id, '--json', '--trust-workspace']).result;
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

const sessionsFile = (home: RealHome) => path.join(home.project, '.tmp/state/sessions.json');
/** How often the tag's line stands in what the model was asked, and which tasks do. */
const told = (body: string, ids: readonly string[]) => ({
  headers: body.split(`[Feature: ${FEATURE}]`).length - 1,
  tasks: ids.filter((id) => body.includes(`Say a word about ${id}.`)).length,
});

for (const tool of TOOLS)
  test(`${tool}: without sessions.json the same session is found by its first line, and continued`, async ({ api }) => {
    const home = new RealHome([tool], api.url('ok'));
    try {
      for (const id of ['one', 'two']) makeTask(home, tool, id);
      const first = await run(home, 'one');
      assert.equal([first.exit_code, first.stages[0]!.session], [0, 'new'], JSON.stringify(first.failure));
      rmSync(sessionsFile(home));
      const second = await run(home, 'two');
      const [one, two] = [first, second].map(({ stages }) => stages[0]!);
      assert.equal([second.exit_code, two!.session, two!.session_id], [0, 'recovered', one!.session_id]);
      assert.equal(told(api.paid().at(-1)!.body, ['one', 'two']), { headers: 1, tasks: 2 });
    } finally {
      await home.dispose();
    }
  });

/** More than run at once. */
const CROWDS: [tool: BuiltIn, tasks: number][] = [
  ['codex', 10],
  ['copilot', 6],
  ['claude', 6],
  ['gemini', 6],
];
for (const [tool, count] of CROWDS)
  test(`${tool}: ${count} tasks of one feature, 4 at once: one session, no turn lost`, async ({ api }) => {
    const home = new RealHome([tool], api.url('ok'));
    try {
      const ids = Array.from({ length: count }, (_, i) => `t${String(i).padStart(2, '0')}`);
      for (const id of ids) makeTask(home, tool, id);
      const words = ['batch', ...ids, '--concurrency=4', '--trust-workspace'];
      const { code, stdout, stderr } = await home.start('tollgate', words, { limitMs: 200_000 }).result;
      assert.is(code, 0, `${stdout}\n${stderr}`);
      assert.equal(told(api.paid().at(-1)!.body, ids), { headers: 1, tasks: count });
      // Each request holds one turn more than the one before it.
      const growth = api.paid().map(({ body }) => told(body, ids).tasks);
      assert.equal(
        [...new Set(growth)],
        Array.from(ids, (_, i) => i + 1),
      );
    } finally {
      await home.dispose();
    }
  });

test.run();
