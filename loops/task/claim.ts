// Allows one run of a task at a time: claims it in the journal, waits for the run that has it, and marks what a fleet has.

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { writeJson } from '../../state/atomic-file.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import { StrangeStateError } from '../../state/disk/strange-state-error.ts';
import type { Journal } from '../../state/journal/journal.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { waitForChange } from '../../state/wait-for-change.ts';
import { ancestorsOf, isAmong } from '../../wrappers/processes/ancestors.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import type { RunContext } from './run-context.ts';
import type { RunOptions } from './run-options.ts';

type Claim =
  | { how: 'done'; runId: string }
  /** Another run had the task, and ended with this code. */
  | { how: 'awaited'; exitCode: number }
  | { how: 'refused'; message: string }
  /** A user or program moved or deleted the task meanwhile. */
  | { how: 'gone' }
  | { how: 'stopped' };

interface Claiming extends Pick<RunContext, 'stop' | 'say'> {
  journal: Journal;
  /** `force_or_refuse`: takes over a run that cannot be looked up, and never waits. */
  whenTaken: RunOptions['whenTaken'] | 'force_or_refuse';
  /** The names of its stages; absent if it has none. */
  stages?: string[];
}

const LOOK_MS = 500;

/** Each of these claims lost to a run that had the task for a moment. */
const MOST_CLAIMS = 100;

/** Never waits for a run that is an ancestor of this process. */
export async function claim({ journal, whenTaken, stages, stop, say }: Claiming): Promise<Claim> {
  const runId = randomUUID();
  const self = (await identify(process.pid))!;
  const forced = whenTaken === 'force' || whenTaken === 'force_or_refuse';
  const waits = whenTaken === 'wait' || whenTaken === 'force';
  let awaited: string | null = null;
  let bytes = 0;
  let claims = 0;
  for (;;) {
    const { ledger, offset } = journal.read();
    // The journal only grows. If it has shrunk, the task was removed, and to continue would create it again in the old place.
    if (offset < bytes) return { how: 'gone' };
    bytes = offset;
    if (awaited !== null) {
      const ended = ledger.released.get(awaited);
      if (ended !== undefined) return { how: 'awaited', exitCode: ended.exit_code };
    }
    const { run } = ledger;
    if (run?.run_id === runId) return { how: 'done', runId };
    if (stop.aborted) return { how: 'stopped' };
    const life = run === null ? 'dead' : await isAlive(run.owner, self);
    if (life === 'dead' || (life === 'unknown' && forced)) {
      // Our line may lose to another run's repeatedly. But if no other line comes first, we must see ours when we read.
      claims += 1;
      if (claims > MOST_CLAIMS) throw new StrangeStateError(unheard(journal.file));
      // The first line wins; the other runs find out when they read.
      await journal.note({
        fact: 'claimed',
        run_id: runId,
        over: run?.run_id ?? null,
        owner: self,
        ...(stages && { stages }),
      });
      awaited = null;
      continue;
    }
    if (isAmong(await ancestorsOf(process.pid), run!.owner))
      return { how: 'refused', message: fromWithin(run!.owner.pid) };
    const where = life === 'unknown' ? ` on ${run!.owner.host}` : '';
    const wayOut = life === 'unknown' ? '; if that run is gone, use --force' : '';
    const message = `another run has this task (pid ${run!.owner.pid}${where})${wayOut}`;
    if (!waits) return { how: 'refused', message: `${message}; leave --no-wait out to wait for it` };
    if (awaited === null) say(`${message}; waiting for it`);
    awaited = run!.run_id;
    await waitForChange(journal.file, LOOK_MS, stop);
  }
}

const unheard = (file: string) =>
  `${file} was written to ${MOST_CLAIMS} times to take this task, and each time the task was not ours; nothing was started. Look at its last lines`;

const fromWithin = (pid: number) =>
  `this command was started from within the run that has this task (pid ${pid}), and would wait for itself; run another task from there`;

/** The name of the mark in the task's state. It does not travel with the task. */
export const SUBMITTED = 'submitted.json';

const markOf = ({ state }: Pick<TaskFolder, 'state'>): string => path.join(state, SUBMITTED);

interface Mark {
  id: unknown;
  at: unknown;
}

/** A fleet has the task from now on. @param id its number there. @returns how to undo this: an earlier mark remains. */
export async function markSubmitted(task: TaskFolder, id: string, at: Date): Promise<() => Promise<void>> {
  const before = readJsonIfFit<Mark>(markOf(task));
  makeFolders(task.state);
  await writeJson(markOf(task), { id, at: at.toISOString() });
  return async () => (before === null ? unmarkSubmitted(task, id) : await writeJson(markOf(task), before));
}

/** @param id leaves the mark of a later submission; null removes any. */
export function unmarkSubmitted(task: TaskFolder, id: string | null): void {
  if (id === null || readJsonIfFit<Mark>(markOf(task))?.id === id) rmSync(markOf(task), { force: true });
}

/** Why a fleet's task does not run here, or null: both would pay, and the result could not be fetched. */
export function submittedMistake(task: TaskFolder, { whenTaken }: Partial<RunOptions> = {}): string | null {
  const mark = whenTaken === 'force' ? null : readJsonIfFit<Mark>(markOf(task));
  if (mark === null) return null;
  const { id } = task;
  return `${id} was submitted to the fleet at ${String(mark.at)}, and would be paid here once more; nothing was started. Fetch it (tollgate fleet fetch ${id}) or cancel it (tollgate fleet cancel ${id}); --force runs it here too, and then both pay`;
}
