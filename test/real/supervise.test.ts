// The document's table with real CLIs: a worker and a reasoner, each in a session of its own, and the saved session gone on with.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RunReport } from '../../loops/run/report.ts';
import type { SessionSave } from '../../policies/supervise/session-save.ts';
import { INSTRUCTION_HEADING } from '../../policies/supervise/supervise-text.ts';
import { sentHistory } from '../rig/model-api/sent-history.ts';
import { startModelApi } from '../rig/model-api.ts';
import { RealHome } from './real-home.ts';

const test = suite('supervise over real CLIs');

const [WORKER, REASONER] = ['claude', 'gemini'] as const;
/** It asks a router first otherwise. */
const MODEL = 'gemini-2.5-flash';

const say = (answer: object): string => `says=${JSON.stringify(answer)}`;
const DONE = say({ action: 'done', summary: 'All of it.' });

test('seven iterations, the session saved at the third error in a row, and resumed to its end', async () => {
  const said = [
    say({ action: 'no_op' }),
    '500',
    'html502',
    say({ action: 'continue', instruction: 'Task B' }),
    '500',
    '401',
    'empty',
    DONE,
  ];
  const instructions: string[] = [];
  const prompts: string[] = [];
  const api = await startModelApi({
    choose: (body) => {
      if (isReasoner(body)) return said.shift() ?? DONE;
      prompts.push(lastPrompt(body));
      instructions.push(prompts.at(-1)!.split(HEADING).at(-1)!.replace(/\n$/, ''));
      return `says=step ${instructions.length} is done`;
    },
  });
  const home = new RealHome([WORKER, REASONER], api.url('ok'));
  try {
    spawnSync('git', ['init', '--quiet', home.project]);
    home.write('tollgate.yaml', 'sessions: {rest_sec: 0}\n');
    const manifest = {
      task_id: 'fix',
      goal: 'Task A',
      supervise: { worker: { tool: WORKER, access: 'full' }, reasoner: { tool: REASONER, model: MODEL } },
      acceptance: { commands: ['git diff --check'] },
      budgets: { paid_call_budget: 40 },
    };
    home.write('.tmp/task/fix/manifest.json', JSON.stringify(manifest));
    const run = async (...words: string[]) => {
      const flags = ['supervise', ...words, '--json', '--trust-workspace'];
      const { stdout, stderr } = await home.start('tollgate', flags, { limitMs: 300_000 }).result;
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout) as RunReport;
    };
    const report = await run('fix');
    const cells = report.supervision!.iterations.map(({ errors, action, instruction }) => [
      errors,
      action,
      instruction,
    ]);
    assert.equal(cells, [
      ['0', 'Normal', '"Task A"'],
      ['1 → NO_OP', 'Preserve', '"Task A" (same)'],
      ['2 → NO_OP', 'Preserve', '"Task A" (same)'],
      ['0 (reset)', 'Normal', '"Task B" (new)'],
      ['1 → NO_OP', 'Preserve', '"Task B" (same)'],
      ['2 → NO_OP', 'Preserve', '"Task B" (same)'],
      ['3 → SAVE', 'Exit', 'N/A'],
    ]);
    assert.equal(instructions, ['Task A', 'Task A', 'Task A', 'Task A', 'Task B', 'Task B', 'Task B']);
    // Byte for byte, with its context; only the first of the session has the line of its tag.
    assert.equal([new Set(prompts.slice(1, 4)).size, new Set(prompts.slice(4)).size], [1, 1]);
    assert.ok(prompts[0]!.endsWith(prompts[1]!));
    const save = JSON.parse(
      readFileSync(path.join(home.project, '.tmp/task/fix/state/session_save.json'), 'utf8'),
    ) as SessionSave;
    assert.ok(save.sessions.worker.session_id !== null && save.sessions.reasoner.session_id !== null);
    const resumed = await run('--resume', save.sessions.reasoner.session_id!);
    assert.equal([resumed.exit_code, resumed.supervision!.how, instructions.length], [0, 'done', 7]);
    const went = resumed.stages.find(({ stage }) => stage === 'reasoner')!;
    assert.is(went.session_id, save.sessions.reasoner.session_id);
    // All that was said before stands in the request that the resumed reasoner sends.
    const last = api.paid().findLast(({ body }) => isReasoner(body))!;
    assert.match(JSON.stringify(sentHistory(last.dialect!, JSON.parse(last.body))), 'Task B');
    assert.equal(home.survivors(), []);
  } finally {
    await home.dispose();
    await api.close();
  }
});

const isReasoner = (body: string): boolean => body.includes('You direct the work on a task');

const HEADING = `# ${INSTRUCTION_HEADING}\n\n`;

/** The last prompt in the request, whole, whatever its dialect: a string of its JSON. */
function lastPrompt(body: string): string {
  const at = body.lastIndexOf(JSON.stringify(HEADING).slice(1, -1));
  const from = Math.max(...[...body.slice(0, at).matchAll(/(?<!\\)"/g)].map(({ index }) => index));
  return JSON.parse(body.slice(from, at + body.slice(at).search(/(?<!\\)"/) + 1)) as string;
}

test.run();
