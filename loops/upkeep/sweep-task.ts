// Sweeps one task: settles its open calls with a dead guardian as the next run would, and ends its gate's commands.

import path from 'node:path';
import { type Journal, JournalError, openJournal } from '../../state/journal/journal.ts';
import { type Call, openCalls } from '../../state/journal/ledger.ts';
import { refreshStats } from '../../state/journal/stats.ts';
import { locateTask, type TaskFolder } from '../../state/task-folder.ts';
import { isAtWork } from '../../wrappers/adopt.ts';
import { membersOf } from '../../wrappers/processes/end-tree.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { isLate, isOverdue } from '../attempt/deadline.ts';
import { GUARDIAN_TIMEOUTS } from '../attempt/phases.ts';
import { treeOf } from '../attempt/restored-draft.ts';
import { closeOrphanedCall } from '../call/close-orphaned-call.ts';
import { endLate, isGoneWithin } from '../call/late-guardian.ts';
import { redactRemainingRaw } from '../call/settle.ts';
import { describeLeftover, endLeftoverCommands } from '../gate/gate-folder.ts';
import { isOf, lateGuardian, type Sweeping, type Swept } from './swept.ts';

/** A task with a living run is left to that run. */
export async function sweepTask(root: string, sweeping: Sweeping): Promise<Swept[]> {
  const located = locateTask(`${root}/`, sweeping.cwd, sweeping.environment);
  if (located.how === 'invalid') return [astray(root, located.message)];
  const task = located.folder;
  const journal = openJournal(task.root, sweeping.clock);
  try {
    const { ledger } = journal.read();
    const self = (await identify(process.pid))!;
    const life = ledger.run === null ? 'dead' : await isAlive(ledger.run.owner, self);
    if (life !== 'dead') return life === 'unknown' ? [elsewhere(task, ledger.run!.owner.host)] : [];
    const swept: Swept[] = [];
    for (const open of openCalls(ledger).filter(({ reserved }) => isOf(sweeping, reserved.guardian)))
      swept.push(...(await sweepOpen(open, task, journal, sweeping)));
    redactRemainingRaw(task, journal.read().ledger, sweeping.environment);
    swept.push(...(await sweepGates(task, ledger.calls.keys())));
    if (swept.some(({ how }) => how === 'settled')) await refreshStats(journal, sweeping.clock);
    return swept;
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return [of(task, null, 'failed', error.message, 'see what its message says, and sweep again')];
  }
}

async function sweepOpen(open: Call, task: TaskFolder, journal: Journal, sweeping: Sweeping): Promise<Swept[]> {
  const { working, clock, environment, patience = GUARDIAN_TIMEOUTS } = sweeping;
  const { call_id, stage, tool, guardian, deadline_at } = open.reserved;
  const folder = path.join(task.attempts, call_id);
  const self = (await identify(process.pid))!;
  const life = await isAlive(guardian, self);
  const what = `the call ${call_id} of stage ${stage} of ${task.id}`;
  if (life === 'alive') {
    if (!isLate(open, folder, self, clock, patience.lateMs)) return [];
    const isOver = () => journal.read().ledger.calls.get(call_id)?.verdict != null;
    const end = await endLate({ guardian, tool, attempt: folder, known: 'by_its_words', isOver }, patience);
    if (isOver()) {
      const told = `${what} was long past its deadline; its wrapper was woken, and ended it`;
      const isGone = await isGoneWithin(guardian, patience.leavingMs);
      const still = `the wrapper has not ended itself; see what it does (ps -p ${guardian.pid}), or end it`;
      return [of(task, call_id, 'settled', told, isGone ? null : still)];
    }
    if (end !== 'gone') return [of(task, call_id, 'failed', ...lateGuardian(what, guardian.pid))];
  }
  if (life === 'unknown') return [elsewhere(task, guardian.host, call_id)];
  const tree = await treeOf(open, folder);
  const count = (await membersOf(tree)).length;
  const isDue = isOverdue(open, folder, self, clock);
  if (!isDue && working === 'wait' && (await isAtWork(tree, path.join(folder, 'stdout'))))
    return [of(task, call_id, 'working', `${what} lost its guardian and still works, until ${deadline_at}`, NOW)];
  const isTaken = () => isAnothers(journal, call_id);
  if (await isTaken()) return [];
  // A call past its deadline is ended for that reason, and its record says so.
  const stop = isDue || working === 'wait' ? new AbortController().signal : AbortSignal.abort();
  try {
    await closeOrphanedCall(open, { task, journal, clock, environment, stop, say: () => {}, isTaken });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'UNPUBLISHED') throw error;
    return [of(task, call_id, 'failed', `${what}: ${(error as Error).message}`, 'free some space, and sweep again')];
  }
  const verdict = journal.read().ledger.calls.get(call_id)?.verdict ?? null;
  if (verdict === null) return [];
  if ((await membersOf(tree)).length > 0)
    return [of(task, call_id, 'failed', `${what} was settled, but has processes that could not be ended`, 'end them')];
  const ended = verdict.class ?? 'an answer that counts';
  const gone = count === 0 ? '' : `, after ${count} ${count === 1 ? 'process was' : 'processes were'} ended`;
  return [of(task, call_id, 'settled', `${what} was settled from its files: ${ended}${gone}`)];
}

const NOW = 'leave it to its deadline, or end it with tollgate preflight --sweep --now';

/** Returns whether the call is settled already, or a run has begun meanwhile, which settles it itself. */
async function isAnothers(journal: Journal, callId: string): Promise<boolean> {
  const { ledger } = journal.read();
  if (ledger.calls.get(callId)?.verdict !== null) return true;
  return ledger.run !== null && (await isAlive(ledger.run.owner, (await identify(process.pid))!)) !== 'dead';
}

async function sweepGates(task: TaskFolder, callIds: Iterable<string>): Promise<Swept[]> {
  const commands = await endLeftoverCommands(task, callIds);
  return commands.map((one) => {
    const { callId, folder, how, processes } = one;
    const ended = processes === 0 ? 'removed' : 'ended';
    const state = ({ ended, elsewhere: 'elsewhere', stubborn: 'failed' } as const)[how];
    const fix = how === 'stubborn' ? 'end them, and sweep again' : null;
    return { ...of(task, callId, state, describeLeftover(one, task.id), fix), what: 'gate', place: folder };
  });
}

const astray = (root: string, why: string): Swept => ({
  what: 'task',
  how: 'failed',
  call_id: null,
  task: root,
  place: root,
  told: `${why}; nothing of it was swept`,
  fix: 'see what its message says, and sweep again',
});

const elsewhere = (task: TaskFolder, host: string, callId: string | null = null): Swept =>
  of(task, callId, 'elsewhere', `${task.id} may be at work on ${host} (or in another container), and was not touched`);

const of = (
  { root }: TaskFolder,
  callId: string | null,
  how: Swept['how'],
  told: string,
  fix: string | null = null,
): Swept => ({ what: callId === null ? 'task' : 'call', how, call_id: callId, task: root, place: root, told, fix });
