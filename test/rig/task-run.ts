// Runs a task in a rig's project with the built tollgate: `start` begins a separate process, `run` needs none.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { RunReport } from '../../loops/run/report.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { type Call, openCalls } from '../../state/journal/ledger.ts';
import type { CommandResult, RunningCommand } from './running-command.ts';
import { isAlive } from './survivors.ts';
import type { TestRig } from './test-rig.ts';
import { waitWhile } from './wait-while.ts';

/** For a stage whose answer does not matter to the test. */
export const ANY_ANSWER = { requires: [], min_lines: 0 };

/** A tollgate.yaml for a test in which a session fails and is resumed at once. */
export const NO_REST = 'sessions: {rest_sec: 0}\n';

export interface TestTask {
  folder: string;
  start(...flags: string[]): RunningCommand;
  /** The result of `start`, without a separate process. */
  outcome(...flags: string[]): Promise<CommandResult>;
  run(...flags: string[]): Promise<Ran>;
  read(file: string): string;
  failure(): Failure | null;
  journal: ReturnType<typeof openJournal>;
}

export interface Ran {
  code: number | null;
  said: string;
  summary: string;
  report: RunReport;
}

/** Waits until its guardian has recorded the start of the call. Then no write of the start collides with what a test removes. */
export async function untilStarted({ journal }: Pick<TestTask, 'journal'>): Promise<void> {
  await waitWhile(() => openCalls(journal.read().ledger)[0]?.started == null);
}

/** Kills a run and the guardian of its open call, whose CLI goes on. @returns the call, when neither process lives. */
export async function killWithGuardian({ journal }: Pick<TestTask, 'journal'>, running: RunningCommand): Promise<Call> {
  const call = openCalls(journal.read().ledger)[0]!;
  const { pid } = call.reserved.guardian;
  running.signal('SIGKILL');
  process.kill(pid, 'SIGKILL');
  await running.result;
  await waitWhile(() => isAlive(pid));
  return call;
}

export function makeTask(rig: TestRig, manifest: object, id = 'fix'): TestTask {
  const folder = path.join(rig.project, '.tmp/task', id);
  rig.write(`.tmp/task/${id}/manifest.json`, JSON.stringify({ task_id: id, goal: 'Find out.', ...manifest }));
  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8');
  const words = (flags: string[]) => ['run', id, '--json', ...flags];
  const start = (...flags: string[]) => rig.start('tollgate', words(flags));
  const outcome = (...flags: string[]) => rig.run('tollgate', words(flags));
  return {
    folder,
    start,
    outcome,
    async run(...flags) {
      const { code, stdout, stderr } = await outcome(...flags);
      const summary = existsSync(path.join(folder, 'outputs/_summary.md')) ? read('outputs/_summary.md') : '';
      return { code, said: stderr, summary, report: (stdout === '' ? null : JSON.parse(stdout)) as RunReport };
    },
    read,
    failure: () =>
      existsSync(path.join(folder, 'state/last_failure.json'))
        ? (JSON.parse(read('state/last_failure.json')) as Failure)
        : null,
    journal: openJournal(folder, () => new Date()),
  };
}
