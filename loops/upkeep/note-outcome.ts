// Records in the log the outcome of a stage's API failures: a later answer, or the end of the stage.

import type { ApiErrorFate } from '../../policies/api-errors/entry.ts';
import { layOutOutcome } from '../../policies/api-errors/log-format.ts';
import type { Verdict } from '../../policies/facts/evidence.ts';
import { appendToLog } from '../../state/api-errors/append.ts';
import { LOG_NAME, logPlace } from '../../state/api-errors/place.ts';
import { loggedCalls } from '../../state/api-errors/read.ts';
import type { Journal } from '../../state/journal/journal.ts';
import type { Call, Ledger } from '../../state/journal/ledger.ts';
import type { TaskFolder } from '../../state/task-folder.ts';

interface EndedStage {
  task: TaskFolder;
  journal: Journal;
  stage: string;
  runId: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  say(sentence: string): void;
}

/** @param end how the stage ended, and its last call. */
export function noteOutcome(
  ended: EndedStage,
  end: { how: 'done' | 'failed' | 'interrupted'; record: { verdict: Verdict } | null },
): void {
  // The next run continues the stage.
  if (end.how === 'interrupted') return;
  // The gate's result does not concern the service: an answer counts, even if the gate rejects it.
  const how = end.how === 'done' || end.record?.verdict.class === null ? 'answered' : 'failed';
  const { task, journal, clock, environment } = ended;
  try {
    const failed = failuresOf(journal.read().ledger, ended);
    const place = logPlace(task, task.root, environment);
    if (failed.length === 0 || place.how !== 'found') return;
    const logged = loggedCalls(place.folder, new Date(failed[0]!.reserved.at));
    const failures = failed.filter(({ reserved }) => logged.has(reserved.call_id));
    if (failures.length === 0) return;
    const at = clock().toISOString();
    const lines = failures.map(({ reserved: { call_id } }, i) => {
      const { fate, why } = fateOf(how, i === failures.length - 1);
      return layOutOutcome({ at, call_id, how: fate, why });
    });
    appendToLog(place.folder, `${LOG_NAME}.log`, lines.join(''), clock);
  } catch (error) {
    ended.say(`what became of the API failures could not be noted: ${(error as Error).message}`);
  }
}

function fateOf(how: 'answered' | 'failed', isLast: boolean): { fate: ApiErrorFate; why: string } {
  if (how === 'answered') return { fate: 'recovered', why: 'a later attempt of the stage was answered' };
  if (isLast) return { fate: 'unrecovered', why: 'it ended its stage' };
  return { fate: 'retried', why: 'the attempt after it failed as well' };
}

/** Returns failed calls of this run, and of earlier runs that did not reach the stage's end. */
function failuresOf({ calls, released }: Ledger, { stage, runId }: EndedStage): Call[] {
  return [...calls.values()].filter(({ reserved, verdict }) => {
    if (reserved.stage !== stage || reserved.run_id === null || verdict === null || verdict.class === null)
      return false;
    const state = released.get(reserved.run_id)?.state;
    return reserved.run_id === runId || state === undefined || state === 'interrupted';
  });
}
