// A stand-in of real CLIs: another one, and another model of the same, for a model that is overloaded.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RunReport } from '../../loops/run/report.ts';
import { ANSWER } from '../rig/model-api/scenario.ts';
import { startModelApi } from '../rig/model-api.ts';
import { ANY_ANSWER } from '../rig/task-run.ts';
import { RealHome } from './real-home.ts';
import type { RouteName } from './routes.ts';

const test = suite('stand-ins of real CLIs');

/** It asks a router first otherwise. */
const MODEL = 'gemini-2.5-flash';

const CASES: [what: string, routes: RouteName[], fallback: object, dialects: (string | null)[], words: string][] = [
  [
    'another CLI',
    ['gemini', 'codex'],
    { tool: 'codex' },
    ['gemini', 'responses'],
    `codex was asked in place of gemini`,
  ],
  [
    'another model of the same CLI',
    ['gemini'],
    { tool: 'gemini', model: 'gemini-2.5-pro' },
    ['gemini', 'gemini'],
    `gemini with gemini-2.5-pro was asked in place of gemini`,
  ],
];

for (const [what, routes, fallback, dialects, words] of CASES)
  test(`${what} answers in place of an overloaded model, which was asked once`, async () => {
    const api = await startModelApi();
    const home = new RealHome(routes, api.url('ok'));
    try {
      api.script(['503']);
      const stage = { tool: 'gemini', role: 'review', id: 'look', access: 'full', model: MODEL, ...ANY_ANSWER };
      const stages = [{ ...stage, fallback: [fallback], fallback_on: ['overloaded'] }];
      home.write('.tmp/task/fix/manifest.json', JSON.stringify({ task_id: 'fix', goal: 'Say hello.', stages }));
      const argv = ['run', 'fix', '--json', '--trust-workspace'];
      const { code, stdout, stderr } = await home.start('tollgate', argv, { limitMs: 120_000 }).result;
      const report = JSON.parse(stdout || stderr) as RunReport;
      const [look] = report.stages;
      assert.equal([code, look!.calls, api.paid().map(({ dialect }) => dialect)], [0, 2, dialects]);
      const tool = 'tool' in fallback ? (fallback.tool as string) : '';
      assert.is(readFileSync(path.join(home.project, `.tmp/task/fix/outputs/look.${tool}.out`), 'utf8').trim(), ANSWER);
      assert.match(look!.warnings.join(), words);
      assert.equal(home.survivors(), []);
    } finally {
      await home.dispose();
      await api.close();
    }
  });

test.run();
