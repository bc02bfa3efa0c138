// Reads a call in progress from its CLI's output: the last action, and the reported tokens.

import type { Usage } from '../../policies/facts/engine-event.ts';
import type { Call } from '../../state/journal/ledger.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { eventsOf, lastEvent } from '../task/last-event.ts';
import { growingFile } from './growing-file.ts';
import type { NowCall } from './now.ts';

export interface LiveCall {
  look(call: Call): NowCall;
  /** Whether there are more of its events than were read. */
  isBehind(): boolean;
  close(): void;
}

export function liveCall(task: TaskFolder, call: Call, stand_ins: NowCall['stand_ins']): LiveCall {
  const { call_id, stage, tool, attempt, deadline_at } = call.reserved;
  const file = eventsOf(task, call_id);
  const events = growingFile([file]);
  let usage: Partial<Usage> = {};
  return {
    isBehind: () => events.isBehind(),
    close: () => events.close(),
    look({ started }) {
      for (const line of linesOf(events)) usage = counted(usage, tool, line);
      const last = lastEvent({ stage, tool, events: file });
      const since = started?.at ?? call.reserved.at;
      return { call_id, stage, tool, stand_ins, attempt, since, deadline_at, last, tokens: tokensOf(usage) };
    },
  };
}

/** The file may be replaced by anything, and may vanish at any moment. */
function linesOf(events: ReturnType<typeof growingFile>): string[] {
  try {
    return events.read(false);
  } catch {
    return [];
  }
}

function counted(before: Partial<Usage>, tool: NowCall['tool'], line: string): Partial<Usage> {
  // Most lines are pieces of text without token figures.
  if (!/token/i.test(line)) return before;
  let usage = before;
  try {
    for (const event of adapterOf(tool).readEvent(line))
      if (event.how === 'counted') usage = event.adds ? sum(usage, event.usage) : { ...usage, ...event.usage };
  } catch {
    // The line is not an event; other code classifies the call.
  }
  return usage;
}

function sum(before: Partial<Usage>, more: Partial<Usage>): Partial<Usage> {
  const names = Object.keys(more) as (keyof Usage)[];
  return { ...before, ...Object.fromEntries(names.map((name) => [name, (before[name] ?? 0) + (more[name] ?? 0)])) };
}

function tokensOf({ total_tokens, input_tokens, output_tokens }: Partial<Usage>): number | null {
  if (typeof total_tokens === 'number') return total_tokens;
  if (typeof input_tokens !== 'number' && typeof output_tokens !== 'number') return null;
  return (input_tokens ?? 0) + (output_tokens ?? 0);
}
