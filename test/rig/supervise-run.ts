// Creates a supervised task in a rig's project, with the calls of the worker and the reasoner's answers.

import path from 'node:path';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import { INSTRUCTION_HEADING } from '../../policies/supervise/supervise-text.ts';
import type { FakeCall, FakeCommand } from './fake-call.ts';
import { answerWith, failWith } from './streams.ts';
import { makeTask, type Ran, type TestTask } from './task-run.ts';
import type { TestRig } from './test-rig.ts';

export const WORKER: BuiltIn = 'codex';
export const REASONER: BuiltIn = 'gemini';

/** What a fake reasoner does. */
export type Said = Record<string, unknown> | 'fails' | { raw: string };

export interface SupervisedTask extends TestTask {
  supervise(...flags: string[]): Promise<Ran>;
  /** The instruction of each call of the worker, as it was sent. */
  instructions(): string[];
  prompts(tool: BuiltIn): string[];
}

/** A failure that no retry table waits for. */
export const failing = (tool: BuiltIn): FakeCommand[] =>
  failWith(tool, 'unexpected status 401 Unauthorized: no', 401) as FakeCommand[];

export function superviseTask(rig: TestRig, manifest: object = {}, id = 'fix'): SupervisedTask {
  const task = makeTask(
    rig,
    { goal: 'Task A', supervise: { worker: { tool: WORKER }, reasoner: { tool: REASONER } }, ...manifest },
    id,
  );
  const prompts = (tool: BuiltIn) =>
    rig.calls.filter(({ report }) => report.tool === tool).map(({ report }) => report.stdin.text);
  return {
    ...task,
    async supervise(...flags) {
      const { code, stdout, stderr } = await rig.run('tollgate', ['supervise', id, '--json', ...flags]);
      return { ...read(task), code, said: stderr, report: stdout === '' ? (null as never) : JSON.parse(stdout) };
    },
    prompts,
    instructions: () => prompts(WORKER).map(instructionIn),
  };
}

const read = (task: TestTask): { summary: string } => {
  try {
    return { summary: task.read('outputs/_summary.md') };
  } catch {
    return { summary: '' };
  }
};

export const instructionIn = (prompt: string): string => prompt.split(`# ${INSTRUCTION_HEADING}\n\n`).at(-1)!;

/** The worker changes a separate file each time; the reasoner gives these answers one after the other. */
export function play(rig: TestRig, said: readonly Said[], worker: (n: number) => FakeCommand[] = changes): void {
  let works = 0;
  let reasons = 0;
  rig.answer(({ report }: FakeCall) => {
    if (report.tool === WORKER) {
      works += 1;
      return worker(works);
    }
    const next = said[reasons] ?? { action: 'save_session', why: 'the test has nothing more to say' };
    reasons += 1;
    if (next === 'fails') return failing(REASONER);
    return answerWith(REASONER, 'raw' in next ? String(next.raw) : JSON.stringify(next));
  });
}

export const changes = (n: number): FakeCommand[] => [
  { do: 'save', file: path.join('src', `step-${n}.txt`), text: `${n}\n` },
  ...(answerWith(WORKER, `step ${n} is done`) as FakeCommand[]),
];

export const still = (n: number): FakeCommand[] => answerWith(WORKER, `looked ${n} times`) as FakeCommand[];
