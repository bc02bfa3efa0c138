// Runs one task of the fleet on this machine: unpacks it, runs its stages through the shared ledger, returns its result.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { runTask } from '../loops/run/run.ts';
import type { RunContext } from '../loops/task/run-context.ts';
import { plainOptions } from '../loops/task/run-options.ts';
import { EXIT_BUG, TOLLGATE_EXIT } from '../policies/facts/exit-codes.ts';
import { journalOf } from '../state/journal/journal.ts';
import { isSystemError, refusalOf } from '../state/system-error.ts';
import { checkTaskId, locateTask, type TaskFolder } from '../state/task-folder.ts';
import { readVolume } from '../state/volume.ts';
import type { Database } from './database.ts';
import { packedFrom, resultColumns, resultFrom, type TaskMeta } from './freight.ts';
import { type HeldTask, openReservations, settleCall } from './ledger.ts';
import { DatabaseAway, FleetRefusal, MachineUnfit } from './refusal.ts';
import { fleetSlots } from './slots.ts';
import { TravelRefusal } from './travel/refusal.ts';
import { packResult, unpackResult } from './travel/result.ts';
import { unpackTask, worktreeOf } from './travel/unpack.ts';

interface TaskWork {
  database: Database;
  task: HeldTask;
  machine: string;
  workFolder: string;
  lease: string;
  /** Another container had the task, and its lease is over. */
  takeOver: boolean;
  context: RunContext;
  /** Ends the worker; `context.stop` ends this task too. */
  halt: AbortSignal;
  /** Ends this task: it is not ours any more, or its end was requested. */
  end(why: string): void;
  /** Ends the worker with this error: no task can run here. */
  fail(error: MachineUnfit): void;
}

/** The interval of questions while the database is away. */
const ASK_MS = 500;

/** Why a task was ended whose user has cancelled it. */
export const CANCELLED = 'tollgate fleet cancel';

/** `interrupted`: it is not over, and continues on this machine unless it was cancelled. `message`: why, or what the answers lack. */
export interface EndedTask {
  how: 'done' | 'failed' | 'interrupted';
  exitCode: number | null;
  message: string | null;
  failure: {
    stage: string | null;
    class: string;
    reason: string | null;
    signature: string | null;
    evidence: string | null;
  } | null;
  result: ReturnType<typeof resultColumns> | null;
}

/** Any failure is an end. What the disk of this machine refuses is no failure of the task: it continues here later. */
export async function runFleetTask(work: TaskWork): Promise<EndedTask> {
  try {
    const { freeBytes } = readVolume(work.workFolder);
    if (freeBytes < LEAST_BYTES)
      throw new MachineUnfit(
        `the disk of ${work.workFolder} has ${freeBytes} bytes free, too few for a task; free some space, and start the worker again`,
      );
    return await runHeldTask(work);
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof DatabaseAway) return { ...INTERRUPTED, message };
    const isUnfit = error instanceof MachineUnfit || (isSystemError(error) && OF_THE_DISK.has(error.code));
    if (!isUnfit)
      return {
        ...INTERRUPTED,
        how: 'failed',
        exitCode: EXIT_BUG,
        message: `an internal error: ${message}`,
      };
    work.fail(error instanceof MachineUnfit ? error : new MachineUnfit(refusalOf(error) ?? message));
    return { ...INTERRUPTED, message };
  }
}

const LEAST_BYTES = 16 * 1024 * 1024;
const OF_THE_DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'UNPUBLISHED']);

/** What git says of a disk, which is no mistake of the task. */
const DISK_WORDS =
  /\b(?:no space left on device|out of diskspace|unable to write file|disk quota exceeded|read-only file system|input\/output error)\b/i;

async function runHeldTask(work: TaskWork): Promise<EndedTask> {
  const { database, task, machine, workFolder, takeOver, context } = work;
  const { environment, stop } = context;
  const [row] = await database.query<{ meta: TaskMeta; bundle: Buffer | null } & TreeOfTag>(
    'SELECT meta, bundle, tag, tree FROM tollgate.tasks WHERE id = $1',
    [task.id],
  );
  const packed = packedFrom(row!.meta, row!.bundle);
  const addEarlier = (tasks: string) => addEarlierTasks(work, row!.tag, tasks);
  const place = { workFolder, environment, halt: stop, shared: sharedTree(row!), addEarlier };
  const unpacked = await unpackTask(packed, place).catch((error: unknown) => {
    if (!(error instanceof TravelRefusal)) throw error;
    if (DISK_WORDS.test(error.message)) throw new MachineUnfit(error.message);
    return error.message;
  });
  if (stop.aborted) return INTERRUPTED;
  if (typeof unpacked === 'string') return refused(unpacked);
  const folder = folderOf(unpacked.folder, environment);
  /** While the lease lasts: after it, a call is booked as late. */
  const settleWhenThere = async () => {
    for (let reported = false; ; reported = true)
      try {
        return await settleAll(database, task.id, machine, folder, context.clock);
      } catch (error) {
        if (!(error instanceof DatabaseAway) || stop.aborted) throw error;
        if (!reported) context.say(`a call is booked later: ${error.message}; no new call begins`);
        await context.pause(ASK_MS, stop);
      }
  };
  const slots = fleetSlots({ ...work, ...context, folder });
  const own = { ...context, cwd: unpacked.worktree, slots };
  const options = { ...plainOptions(), ...row!.meta.options, ...(takeOver ? { whenTaken: 'force' as const } : {}) };
  const request = { word: unpacked.manifestFile, options, context: own };
  const ran = await runTask({ ...request, word: `${unpacked.folder}/` });
  await settleWhenThere();
  const pack = (halt: AbortSignal) =>
    packResult({ ...request, context: { ...own, stop: halt }, packed, unpacked, shared: row!.meta.shared });
  if (ran.how === 'invalid') return refused(ran.message);
  if (stop.reason === CANCELLED && existsSync(journalOf(folder.root)))
    return { ...INTERRUPTED, result: resultColumns(await pack(work.halt)) };
  if (ran.how === 'not_run' && OF_THE_DISK.has(ran.code ?? '')) throw new MachineUnfit(ran.message);
  if (ran.how === 'awaited' || ran.how === 'not_run')
    return stop.aborted ? INTERRUPTED : { ...refused(ran.message), exitCode: ran.exitCode };
  const { report } = ran;
  if (report.state === 'interrupted') return INTERRUPTED;
  const result = await pack(stop);
  const { failure } = report;
  const lacks = report.stages.flatMap(({ stage, lacks: of }) => of.map((lack) => `warning: ${stage}: ${lack}`));
  return {
    how: report.exit_code === TOLLGATE_EXIT.ok ? 'done' : 'failed',
    exitCode: report.exit_code,
    message:
      failure === null
        ? lacks.join('; ') || null
        : `${failure.stage ?? 'the task'}: ${failure.class} (${failure.reason})`,
    failure: failure === null ? null : { ...failure, evidence: failure.evidence?.text ?? null },
    result: resultColumns(result),
  };
}

interface TreeOfTag {
  tag: string | null;
  tree: string | null;
}

/** The same path for all tasks of a tag: some CLIs resume a conversation only in the folder in which it began. */
const sharedTree = ({ tag, tree }: TreeOfTag): string | null =>
  tag === null || tree === null ? null : `${tag} ${tree}`;

/** A hand-off names so many. */
const MOST_EARLIER = 3;

/** Another machine has the conversations of the tag: a hand-off is made from the records of its tasks. */
async function addEarlierTasks(
  { database, task, context }: TaskWork,
  tag: string | null,
  tasks: string,
): Promise<void> {
  const rows = await database.query<{ meta: Parameters<typeof resultFrom>[0]; result: Buffer | null }>(
    `SELECT result_meta AS meta, result FROM tollgate.tasks WHERE id IN (SELECT max(id) FROM tollgate.tasks
       WHERE tag = $1 AND id <> $2 AND result_meta IS NOT NULL GROUP BY name ORDER BY max(id) DESC LIMIT ${MOST_EARLIER}) ORDER BY id`,
    [tag, task.id],
  );
  for (const { meta, result } of rows)
    try {
      if (checkTaskId(meta.task) === null)
        unpackResult(resultFrom(meta, result), {
          folder: path.join(tasks, meta.task),
          root: path.dirname(path.dirname(tasks)),
        });
    } catch (error) {
      if (!(error instanceof TravelRefusal)) throw error;
      context.say(`its hand-off cannot name an earlier task of its tag: ${error.message}`);
    }
}

const INTERRUPTED: EndedTask = { how: 'interrupted', exitCode: null, message: null, failure: null, result: null };

const refused = (message: string): EndedTask => ({
  how: 'failed',
  exitCode: TOLLGATE_EXIT.badInput,
  message,
  failure: { stage: null, class: 'tooling', reason: 'bad_input', signature: null, evidence: message },
  result: null,
});

function folderOf(root: string, environment: NodeJS.ProcessEnv): TaskFolder {
  const located = locateTask(`${root}/`, path.dirname(root), environment);
  if (located.how === 'invalid') throw new FleetRefusal(located.message);
  return located.folder;
}

/** Books what this machine reserved for the task, by its journal: also the calls of a worker that died here. */
async function settleAll(
  database: Database,
  task: string,
  machine: string,
  folder: TaskFolder,
  clock: () => Date,
): Promise<void> {
  for (const open of await openReservations(database, task, machine)) await settleCall(database, folder, open, clock);
}

interface OtherCalls {
  database: Database;
  worker: string;
  machine: string;
  workFolder: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  say(sentence: string): void;
}

/** Books by their journals the calls that this machine made for tasks which this worker does not have. Those workers are dead. */
export async function settleOthers(of: OtherCalls): Promise<void> {
  const { database, worker, machine, workFolder, environment, clock, say } = of;
  const tasks = await database.query<{ id: string; meta: TaskMeta } & TreeOfTag>(
    `SELECT id::text AS id, meta, tag, tree FROM tollgate.tasks t WHERE (worker IS DISTINCT FROM $1 OR state <> 'running')
     AND EXISTS (SELECT 1 FROM tollgate.reservations r WHERE r.task = t.id AND r.machine = $2 AND r.state = 'lost')`,
    [worker, machine],
  );
  for (const { id, meta, ...shared } of tasks)
    try {
      const tree = worktreeOf(meta.packed, workFolder, sharedTree(shared));
      const folder = folderOf(path.join(tree, meta.packed.folder), environment);
      // Without its journal nothing is known of a call, and it stays lost.
      if (existsSync(journalOf(folder.root))) await settleAll(database, id, machine, folder, clock);
    } catch (error) {
      if (error instanceof DatabaseAway) throw error;
      say(`the calls of task ${id} on this machine cannot be booked: ${(error as Error).message}`);
    }
}
