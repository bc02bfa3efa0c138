// Describes the last action of a running CLI in a few words for a progress line, read from the end of its event stream.

import path from 'node:path';
import type { EngineEvent } from '../../policies/facts/engine-event.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import { oneLine } from '../../policies/text/display.ts';
import { tried } from '../../policies/text/tried.ts';
import { readTailIfFit } from '../../state/disk/regular-file.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { adapterOf } from '../../wrappers/adapters.ts';

interface CallEvents {
  stage: string;
  tool: Tool;
  /** The file of its events; it may not exist yet. */
  events: string;
  /** Removes the secrets of its task. Without it, no command or file is named. */
  hide?: (text: string) => string;
}

/** A call that a run waits for. */
export interface Underway extends CallEvents {
  timeoutMs: number;
  /** What the task has paid so far, such as `3 paid`, `9450 tokens`. */
  paid: readonly string[];
}

/** The file to which the CLI of a call writes its events. */
export const eventsOf = (task: TaskFolder, callId: string): string => path.join(task.attempts, callId, 'stdout');

/** Enough for the last lines; a longer line is not shown. */
const WINDOW = 16 * 1024;

/** null before the first event. */
export function lastEvent({ tool, events, hide }: CallEvents): string | null {
  // Some CLIs name a tool only where it begins.
  let ended: (EngineEvent & { how: 'tool_ended' }) | null = null;
  for (const line of (readTailIfFit(events, WINDOW) ?? '').split('\n').reverse())
    for (const event of readLine(tool, line).reverse()) {
      if (ended !== null) {
        if (event.how === 'tool_began' && event.id === ended.id) return wordsFor({ ...ended, name: event.name });
        continue;
      }
      if (event.how === 'tool_ended' && event.name === null) ended = event;
      const words = ended === null ? wordsFor(event, hide) : null;
      if (words !== null) return words;
    }
  return ended === null ? null : wordsFor(ended);
}

const readLine = (tool: Tool, line: string): EngineEvent[] =>
  tried(() => (line.trim() === '' ? [] : adapterOf(tool).readEvent(line))) ?? [];

/** null for an event that says nothing about what the CLI does. */
export function wordsFor(event: EngineEvent, hide?: CallEvents['hide']): string | null {
  switch (event.how) {
    case 'turn_began':
    case 'requested':
      return 'asks the model';
    case 'said':
      return 'answers';
    case 'tool_began':
      return `runs ${toolWords(event.name, event.subject === undefined || hide === undefined ? null : oneLine(hide(event.subject)))}`;
    case 'tool_ended':
      return `ran ${toolWords(event.name ?? 'a tool', null)}`;
    case 'retrying':
      return 'announces a retry';
    case 'erred':
    case 'failed':
    case 'stopped':
      return 'met an error';
    case 'completed':
      return 'ended its turn';
    default:
      return null;
  }
}

/** @param subject the command or the file; null if it is not known. */
function toolWords(name: string, subject: string | null): string {
  if (SHELLS.test(name)) return subject ?? 'a shell command';
  return subject === null ? name : `${name}: ${subject}`;
}

/** The tools of the CLIs that run a shell command. */
const SHELLS = /^(?:command_execution|run_shell_command|bash|powershell|shell)$/i;
