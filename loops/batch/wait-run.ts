// Waits for a task: its journal names the process that runs it, and how the last run ended.

import path from 'node:path';
import { type ProcessIdentity, placeOf } from '../../policies/facts/process-identity.ts';
import { lookAt } from '../../state/disk/regular-file.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { type Ledger, lacksIn } from '../../state/journal/ledger.ts';
import { type LivingProcesses, type ProcessLife, readLiving, STARTING_MS, watchProcess } from './living-processes.ts';
import { type Awaited, type AwaitedLook, pending, settled } from './wait-outcome.ts';

/** @param self where this process runs, for numbers of processes. @param earlier whether a run ended before counts. */
export function awaitTask(
  folder: string,
  label: string,
  self: ProcessIdentity,
  earlier: 'counts' | 'never_counts',
  living: LivingProcesses = readLiving(),
): Awaited {
  const began = performance.now();
  const journal = openJournal(folder, () => new Date());
  let seen: { version: string; ledger: Ledger } | null = null;
  let endSeen: string | null = null;
  /** The last end of a run that was there when the wait began. */
  let before: string | null | undefined;
  /** A run that was started and has not claimed the task yet. */
  let starting: ProcessLife | null = null;
  let startingGone = false;

  function look(when: 'now' | 'at_last' = 'now'): AwaitedLook {
    try {
      const version = versionOf(journal.file);
      if (seen?.version !== version) seen = { version, ledger: journal.read().ledger };
    } catch (error) {
      return settled({ how: 'garbled', message: (error as Error).message });
    }
    const { run, released } = seen.ledger;
    const last = [...released.values()].at(-1) ?? null;
    before = before === undefined ? (last?.run_id ?? null) : before;
    if (run === null && (last === null || last.run_id === before)) {
      const found = lookForRuns(when);
      if (found !== null) return found;
    }
    if (run === null) {
      if (last === null) return pending('on_change');
      const since = last.run_id === before ? { earlier: { callId: `run ${last.run_id}`, at: last.at } } : {};
      if (last.exit_code === 0) return settled({ how: 'done', lacks: lacksIn(seen.ledger), ...since });
      return settled({ how: 'failed', exitCode: last.exit_code, ...whyFailed(seen.ledger, last.state), ...since });
    }
    const place = placeOf(run.owner, self);
    if (place === 'elsewhere') return pending('on_change');
    if (place === 'here' && !watchProcess(run.owner.pid, run.owner.start_time).ended()) return pending('by_the_clock');
    // It may have released the task after this look, so the next look decides.
    if (endSeen !== run.run_id || living.runsOf(folder).length > 0) {
      endSeen = run.run_id;
      return pending('by_the_clock');
    }
    return settled({ how: 'died', pid: run.owner.pid, without: `release of run ${run.run_id} in ${journal.file}` });
  }

  /** A run that is starting makes the end of an earlier run irrelevant. null: the earlier end counts. */
  function lookForRuns(when: 'now' | 'at_last'): AwaitedLook | null {
    if (earlier === 'never_counts') return pending('on_change');
    const found = living.runsOf(folder)[0];
    if (found !== undefined && (starting === null || starting.ended())) starting = watchProcess(found);
    if (starting !== null) {
      if (!starting.ended()) return pending('by_the_clock');
      // It may have written to the journal after this look.
      if (startingGone)
        return settled({ how: 'died', pid: starting.pid, without: `run of its own in ${journal.file}` });
      startingGone = true;
      return pending('by_the_clock');
    }
    const isYoung = when === 'now' && performance.now() - began < STARTING_MS;
    return before !== null && isYoung ? pending('by_the_clock') : null;
  }

  return { label, files: [journal.file], look, lacking: `end of a run in ${path.join(folder, 'state/journal.jsonl')}` };
}

/** The size of an append-only file shows whether there is more to read. */
function versionOf(file: string): string {
  const found = lookAt(file);
  return found === null ? 'absent' : `${found.ino}:${found.size}`;
}

function whyFailed(ledger: Ledger, state: string): { class: string | null; reason: string | null } {
  if (state === 'interrupted') return { class: null, reason: 'interrupted' };
  const verdict = [...ledger.calls.values()].at(-1)?.verdict;
  if (verdict?.class) return { class: verdict.class, reason: verdict.reason };
  const gate = [...ledger.gates.values()].findLast((found) => !found.passed);
  return { class: null, reason: gate === undefined ? null : `the gate of ${gate.stage} did not pass` };
}
