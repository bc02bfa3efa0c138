// Streams the end of the redacted output of a running task, and then what is added to it, so much a second at most.

import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { savedRedactor } from '../../loops/attempt/restored-draft.ts';
import { followCalls } from '../../loops/report/follow.ts';
import { eventsOf, lastEvent } from '../../loops/task/last-event.ts';
import { cut } from '../../policies/text/display.ts';
import { isAbsent, isFolder, lookAt } from '../../state/disk/regular-file.ts';
import type { Call } from '../../state/journal/ledger.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import type { TailTold } from '../contract/task.ts';
import type { ServedProject } from './project.ts';

/** Read of each file at once: at first its end, afterwards what was added. */
const MOST = 64 * 1024;
/** With MOST, the most that is read in a second: 128 kB of each file. */
const PAUSE_MS = 500;
const MOST_LINE = 2000;
const LOOK_MS = 500;

/** Resolves when the run has ended, the task is gone, or `stop` aborts. */
export async function streamTail(
  task: TaskFolder,
  { environment, clock }: ServedProject,
  stop: AbortSignal,
  tell: (told: TailTold) => void,
): Promise<void> {
  let current: Call | null = null;
  const deleted = new AbortController();
  // The run of a deleted task may still be alive, and no event reports the deletion.
  const look = setInterval(() => isGone(task, current) && deleted.abort(), LOOK_MS);
  const over = AbortSignal.any([stop, deleted.signal]);
  try {
    const followed = await followCalls({
      ...{ task, stage: null, until: 'end', events: 'words', without: 'session_named', most: MOST },
      ...{ environment, stop: over, clock },
      begin(call) {
        current = call;
        const { call_id, stage, tool, attempt } = call.reserved;
        tell({ of: 'call', call_id, stage, tool, attempt });
      },
      lack: (text) => tell({ of: 'note', text }),
      async take(all, { bytes, beganAgain }) {
        if (all.length === 0 && bytes === 0 && !beganAgain) return 'more';
        const lines = all.map(({ text }) => shortened(text));
        const doing = current === null ? null : doingOf(task, current, environment);
        const at = current === null ? null : heardIn(task.root, current.reserved.call_id);
        tell({ of: 'lines', lines, doing, at, left_out: bytes, began_again: beganAgain });
        await delay(PAUSE_MS, undefined, { signal: over }).catch(() => {});
        return over.aborted ? 'enough' : 'more';
      },
    });
    if (stop.aborted) return;
    if (isGone(task, current)) tell(GONE);
    else tell({ of: 'end', why: followed.how === 'invalid' ? followed.message : 'The run has ended.' });
  } catch (error) {
    if (!stop.aborted)
      tell(isGone(task, current) ? GONE : { of: 'end', why: `The log cannot be read: ${(error as Error).message}.` });
  } finally {
    clearInterval(look);
  }
}

const GONE: TailTold = { of: 'end', why: 'The task was deleted, archived or renamed.' };

/** While a task is deleted, its folder may remain longer than its journal. @param call a call that its journal had. */
const isGone = ({ root }: TaskFolder, call: Call | null): boolean =>
  !isFolder(root) || (call !== null && isAbsent(path.join(root, 'state', 'journal.jsonl')));

/** ISO time at which the CLI of a call last wrote something; null if it has not. @param folder of the task. */
export function heardIn(folder: string, callId: string): string | null {
  const look = lookAt(path.join(folder, 'state', 'attempts', callId, 'stdout'));
  return look === null || look.size === 0 ? null : look.mtime.toISOString();
}

const shortened = (line: string): string => (line.length > MOST_LINE ? `${cut(line, MOST_LINE)} …` : line);

function doingOf(task: TaskFolder, call: Call, environment: NodeJS.ProcessEnv): string | null {
  const { call_id, stage, tool } = call.reserved;
  const saved = savedRedactor(path.join(task.attempts, call_id), call, environment);
  const hide = saved === null || saved.withheld !== null ? {} : { hide: saved.redactor.redact };
  const doing = lastEvent({ stage, tool, events: eventsOf(task, call_id), ...hide });
  return doing === null ? null : shortened(doing);
}
