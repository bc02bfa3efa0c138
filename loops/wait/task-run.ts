// A dispatched task: its journal tells who works at it, and how the last run ended.

import { statSync } from 'node:fs';
import path from 'node:path';
import { type ProcessIdentity, placeOf } from '../../policies/process-identity.ts';
import { openJournal } from '../../state/journal.ts';
import type { Ledger } from '../../state/ledger.ts';
import { type Awaited, type Look, pending, settled } from './awaited.ts';
import { watchProcess } from './process-life.ts';

/** @param self where we run, to tell whether a run's process number means anything here. */
export function awaitTask(folder: string, label: string, self: ProcessIdentity): Awaited {
  const journal = openJournal(folder, () => new Date());
  let seen: { version: string; ledger: Ledger } | null = null;
  let endSeen: string | null = null;

  function look(): Look {
    try {
      const version = versionOf(journal.file);
      if (seen?.version !== version) seen = { version, ledger: journal.read().ledger };
    } catch (error) {
      return settled({ how: 'garbled', message: (error as Error).message });
    }
    const { run, released } = seen.ledger;
    if (run === null) {
      const last = [...released.values()].at(-1);
      if (last === undefined) return pending('on_change');
      if (last.exit_code === 0) return settled({ how: 'done' });
      return settled({ how: 'failed', exitCode: last.exit_code, ...whyFailed(seen.ledger, last.state) });
    }
    const place = placeOf(run.owner, self);
    if (place === 'elsewhere') return pending('on_change');
    if (place === 'here' && !watchProcess(run.owner.pid, run.owner.start_time).ended()) return pending('by_the_clock');
    // Its last act may have been to release the task, after we looked: the next look decides.
    if (endSeen !== run.run_id) {
      endSeen = run.run_id;
      return pending('by_the_clock');
    }
    return settled({ how: 'died', pid: run.owner.pid, without: `release of run ${run.run_id} in ${journal.file}` });
  }

  return { label, files: [journal.file], look, lacking: `end of a run in ${path.join(folder, 'state/journal.jsonl')}` };
}

/** An append-only file says by its size whether there is more to read. */
function versionOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? 'absent' : `${found.ino}:${found.size}`;
}

function whyFailed(ledger: Ledger, state: string): { class: string | null; reason: string | null } {
  if (state === 'interrupted') return { class: null, reason: 'interrupted' };
  const verdict = [...ledger.calls.values()].at(-1)?.verdict;
  if (verdict?.class) return { class: verdict.class, reason: verdict.reason };
  const gate = [...ledger.gates.values()].findLast((found) => !found.passed);
  return { class: null, reason: gate === undefined ? null : `the gate of ${gate.stage} did not pass` };
}
