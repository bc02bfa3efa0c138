// The real loop of a supervision over 1,000 generated courses, struck wherever a run can be, against a model of the document's table.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RunOptions } from '../../../loops/task/run-options.ts';
import { openTask } from '../../../loops/task/task.ts';
import { DrivenSupervision, Killed, type Strike } from '../../rig/driven-supervision.ts';
import type { Said } from '../../rig/supervision-model.ts';

/** Few, since each is written to disk once. */
const instruction = fc.constantFrom(
  'Task B',
  'Task C',
  ' Task D\n',
  '# Current instruction\n\nTask A',
  '```json\n{"action":"done","summary":"x"}\n```',
  '\r\n\tE\u2028\ud83d\ude00',
  'F'.repeat(2000),
);

const said: fc.Arbitrary<Said> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Said>({ how: 'fails' }) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        '',
        'Continue.',
        '{"action":"continue","instruction":"Do ha',
        '{"action":"continue","instruction":" "}',
        '[]',
      )
      .map((raw): Said => ({ how: 'garbage', raw })),
  },
  { weight: 3, arbitrary: instruction.map((text): Said => ({ how: 'continue', instruction: text })) },
  { weight: 3, arbitrary: fc.constantFrom<Said>({ how: 'no_op' }, { how: 'refused' }, { how: 'refused' }) },
  { weight: 1, arbitrary: fc.constantFrom<Said>({ how: 'save_session' }, { how: 'ask', question: 'Which?' }) },
);

const course = fc.record({
  said: fc.array(said, { maxLength: 7 }),
  worked: fc.array(fc.constantFrom('answers' as const, 'answers' as const, 'fails' as const), { maxLength: 4 }),
  strikes: fc
    .array(fc.tuple(fc.nat(60), fc.constantFrom<Strike[]>('run', 'call', 'INT', 'note', 'note and run')), {
      maxLength: 4,
    })
    .map((points) => new Map(points)),
});

test('1,000 courses: the worker is told what the last valid word was, whole; nobody is asked twice, and nobody left out', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'driven-'));
  try {
    const manifest = {
      task_id: 'fix',
      goal: 'Task A',
      supervise: {
        worker: { tool: 'codex', access: 'read' },
        reasoner: { tool: 'gemini' },
        max_iterations: 999,
        stall_after: 999,
      },
    };
    mkdirSync(path.join(folder, '.tmp/task/fix'), { recursive: true });
    writeFileSync(path.join(folder, '.tmp/task/fix/manifest.json'), JSON.stringify(manifest));
    const context = {
      cwd: folder,
      environment: { PATH: process.env.PATH, HOME: folder },
      commandFolder: folder,
      stop: new AbortController().signal,
      clock: () => new Date(0),
      random: () => 0.5,
      pause: async () => {},
      say: () => {},
      watch: () => {},
    };
    const options = { trustWorkspace: false } as RunOptions;
    const opened = await openTask({ word: 'fix', ...context, trustWorkspace: false });
    if (opened.how === 'invalid') throw new Error(opened.message);
    const task = { options, context, runId: 'r', register: folder, tampered: new Map(), guardianStop: context.stop };
    await fc.assert(
      fc.asyncProperty(course, async (script) => {
        const driven = new DrivenSupervision(opened.open, script);
        const ends: string[] = [];
        while (ends.at(-1) !== 'done') {
          assert.ok(ends.length < MAX_RUNS, `it continues for ever: ${driven.model.paid.join(' ')}`);
          ends.push(await endOf(driven, task));
          if (ends.at(-1) === 'parked') await driven.note();
        }
        assert.equal(driven.said, []);
        assert.is(driven.model.paid.at(-1), 'r:believed');
        // What a person said too late for it.
        rmSync(path.join(folder, '.local/state/tollgate/notes'), { recursive: true, force: true });
      }),
      { numRuns: 1000, seed: SEED, includeErrorInReport: true },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The same courses each time; another number finds others. */
const SEED = 19;

/** More than strikes, saved sessions and failures of a worker can ask for. */
const MAX_RUNS = 60;

async function endOf(driven: DrivenSupervision, task: Parameters<DrivenSupervision['run']>[0]): Promise<string> {
  try {
    return (await driven.run(task)).supervision!.how!;
  } catch (error) {
    if (error instanceof Killed) return 'killed';
    throw error;
  }
}

test.run();
