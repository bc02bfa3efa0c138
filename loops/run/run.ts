// Runs a task: claims it, runs its stages, and writes one report.

import { stopExit, TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { JournalError } from '../../state/journal/journal.ts';
import { isSystemError } from '../../state/system-error.ts';
import { enterTask } from '../guard/enter-task.ts';
import type { Recovered } from '../guard/recover.ts';
import { claim, submittedMistake } from '../task/claim.ts';
import type { RunRequest } from '../task/run-context.ts';
import { choiceMistake, supervisedMistake } from '../task/stage-plan.ts';
import { type OpenTask, openTask } from '../task/task.ts';
import { traceEnd } from '../upkeep/export.ts';
import { awaitedRun, type RanTask, type RunWork, runOwned, type WorkedRun } from './owned-run.ts';
import { recheckMistake } from './recheck.ts';

/**
 * Runs one task. Failures of stages, of the disk and of the journal are results; what it throws is an internal error.
 * @param work what is done while the task is ours; null for its stages in order.
 */
export async function runTask(request: RunRequest, work: RunWork | null = null): Promise<RanTask> {
  const entrance = await enterTask({ ...request.context, ...request.options, word: request.word });
  if (entrance.how === 'invalid') return entrance;
  const opened = await openTask({ ...request.context, ...request.options, word: request.word, found: entrance.found });
  if (opened.how === 'invalid') return opened;
  const { open } = opened;
  if (open.refusedTrust !== null) request.context.say(open.refusedTrust);
  const mistake =
    work === null
      ? (supervisedMistake(open) ?? choiceMistake(open.plans, request.options) ?? recheckMistake(open, request.options))
      : work.mistake(open, request);
  if (mistake !== null) return { how: 'invalid', message: mistake };
  const since = request.context.clock();
  try {
    const ran = await claimAndRun({ ...request, work }, open, entrance.recovered);
    if (ran.how === 'ran' && request.context.tells !== 'of_all') await traceEnd([request.word], since, request);
    return ran;
  } catch (error) {
    if (error instanceof JournalError) return { how: 'invalid', message: error.message };
    // A full or missing disk is not an internal error.
    if (!isSystemError(error)) throw error;
    const { message, code } = error;
    const what = `the run stopped because its state could not be written (${message}); everything written before is kept. Make its disk writable, with space on it, and run it again to continue`;
    return { how: 'not_run', exitCode: TOLLGATE_EXIT.failure, message: what, code };
  }
}

async function claimAndRun(request: WorkedRun, open: OpenTask, recovered: Recovered): Promise<RanTask> {
  const stages = open.plans.map(({ stage }) => stage.name);
  // A claim in the journal would keep the fleet's result from being fetched.
  const submitted = submittedMistake(open.task, request.options);
  if (submitted !== null) return { how: 'invalid', message: submitted };
  const claimed = await claim({
    ...request.options,
    ...request.context,
    journal: open.journal,
    ...(stages.length === 0 ? {} : { stages }),
  });
  if (claimed.how === 'awaited') return awaitedRun(request, open, claimed.exitCode);
  if (claimed.how === 'gone')
    return { how: 'invalid', message: `${open.task.root} was archived or removed meanwhile; nothing was run` };
  if (claimed.how === 'refused') return { how: 'not_run', exitCode: TOLLGATE_EXIT.failure, message: claimed.message };
  if (claimed.how === 'stopped')
    return {
      how: 'not_run',
      exitCode: stopExit(request.context.stop),
      message: 'stopped while it waited for another run',
    };
  return runOwned(request, open, claimed.runId, recovered);
}
