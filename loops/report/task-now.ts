// Reads one task repeatedly: its state, its calls in progress, and the folders in which the next change appears.

import { statSync } from 'node:fs';
import path from 'node:path';
import type { ReportedUsage, Usage } from '../../policies/facts/engine-event.ts';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { tried } from '../../policies/text/tried.ts';
import { isFolder, kindOf } from '../../state/disk/regular-file.ts';
import { type Journal, openJournal } from '../../state/journal/journal.ts';
import { type Call, type Ledger, standInsOf } from '../../state/journal/ledger.ts';
import { locateTask, manifestsIn, type TaskFolder } from '../../state/task-folder.ts';
import { findRecord } from '../../state/usage.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { eventsOf, lastEvent } from '../task/last-event.ts';
import { growingFile } from './growing-file.ts';
import type { NowCall, NowTask, NowWait } from './now.ts';
import { readFailure } from './task-row.ts';
import { callsInProgress, standingOf } from './task-state.ts';

interface TaskNow {
  look(looking: { self: ProcessIdentity; now: Date; waits: NowWait | null; detail: boolean }): Promise<NowTask>;
  /** Whether there are more events of its calls than were read. */
  isBehind(): boolean;
  /** The folders of its calls, in which their next output appears. */
  folders(): string[];
  close(): void;
}

const journalOf = (root: string) => path.join(root, 'state', 'journal.jsonl');

/** Changes with the journal, with the manifest as long as there is no journal, and when the task is gone. */
export function stampOf(root: string): string {
  const journal = markOf(journalOf(root));
  if (journal !== '') return journal;
  return isFolder(root) ? `none ${manifestsIn(root).map(markOf).join()}` : 'gone';
}

function markOf(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeMs}`;
  } catch {
    return '';
  }
}

/** Returns the folder in which the next change of a task appears, whether it runs or is at rest. */
export function stateFolderOf(root: string): string {
  const state = path.dirname(journalOf(root));
  return isFolder(state) ? state : root;
}

export function taskNow(root: string): TaskNow {
  const live = new Map<string, LiveCall>();
  /** The tokens of ended calls, whose records do not change. */
  const knownTokens = new Map<string, number | null>();
  let journal: Journal | null = null;
  const forget = (kept: ReadonlySet<string>) => {
    for (const [id, call] of [...live])
      if (!kept.has(id)) {
        call.close();
        live.delete(id);
      }
  };

  async function read(
    task: TaskFolder,
    { self, now, waits, detail }: Parameters<TaskNow['look']>[0],
  ): Promise<NowTask> {
    journal ??= openJournal(root, () => now);
    const { ledger } = journal.read();
    const { state, at } = await standingOf(ledger, self);
    const running: NowCall[] = [];
    if (state === 'running')
      for (const { call, life } of await callsInProgress(ledger, self)) {
        const { call_id } = call.reserved;
        if (life === 'dead') continue;
        const opened = live.get(call_id) ?? liveCall(task, call, standInsOf(ledger, call));
        live.set(call_id, opened);
        running.push(opened.look(call));
      }
    forget(new Set(running.map(({ call_id }) => call_id)));
    const failure = state === 'running' || state === 'done' || state === 'never_run' ? null : failureOf(task);
    // A task at rest needs no memory.
    if (state !== 'running') journal = null;
    return {
      task_id: task.id,
      folder: root,
      state,
      since: state === 'running' ? (running[0]?.since ?? lastOf(ledger) ?? at) : at,
      running,
      waits: state === 'running' ? (waits ?? (running.length === 0 ? restOf(ledger, now) : null)) : null,
      tokens: detail || state === 'running' ? tokensOf(task, ledger, running) : null,
      calls: { used: ledger.used, budget: ledger.budget },
      stage: failure?.stage ?? null,
      class: failure?.class ?? null,
      reason: failure?.reason ?? null,
      message: null,
    };
  }

  function tokensOf(task: TaskFolder, { calls }: Ledger, running: readonly NowCall[]): number | null {
    const figures = running.map(({ tokens }) => tokens);
    for (const [id, call] of calls) {
      if (!call.granted || call.verdict === null) continue;
      if (!knownTokens.has(id)) knownTokens.set(id, figureOf(task, call));
      figures.push(knownTokens.get(id)!);
    }
    const known = figures.filter((figure) => figure !== null);
    return known.length === 0 ? null : known.reduce((sum, figure) => sum + figure, 0);
  }

  return {
    async look(looking) {
      if (kindOf(root) === null) {
        forget(new Set());
        return nothing(root, 'gone', null);
      }
      const located = locateTask(`${root}/`, '/', {});
      if (located.how === 'invalid') return nothing(root, 'unreadable', located.message);
      try {
        return await read(located.folder, looking);
      } catch (error) {
        journal = null;
        forget(new Set());
        // The task may have vanished during the read.
        return kindOf(root) === null
          ? nothing(root, 'gone', null)
          : nothing(root, 'unreadable', (error as Error).message);
      }
    },
    isBehind: () => [...live.values()].some((call) => call.isBehind()),
    folders: () => [...live.keys()].map((id) => path.join(root, 'state', 'attempts', id)),
    close: () => forget(new Set()),
  };
}

const nothing = (root: string, state: 'gone' | 'unreadable', message: string | null): NowTask => ({
  task_id: path.basename(root),
  folder: root,
  state,
  since: null,
  running: [],
  waits: null,
  tokens: null,
  calls: { used: 0, budget: null },
  stage: null,
  class: null,
  reason: null,
  message,
});

/** The record may hold anything; the journal says that the task failed. */
function failureOf(task: TaskFolder) {
  try {
    const failure = readFailure(task);
    return failure?.resolved_at === null ? failure : null;
  } catch {
    return null;
  }
}

function figureOf(task: TaskFolder, call: Call): number | null {
  const figure = findRecord(task, call)?.usage?.total_tokens;
  return typeof figure === 'number' ? figure : null;
}

/** Returns the end of the last call: since then its run does other work. */
const lastOf = ({ calls }: Ledger): string | null =>
  [...calls.values()].reduce<string | null>(
    (last, { verdict }) => (verdict && verdict.at > (last ?? '') ? verdict.at : last),
    null,
  );

/** Finds a decision to wait that is not over yet, and that no call has followed. */
function restOf({ decided, calls }: Ledger, now: Date): NowWait | null {
  const last = decided.at(-1);
  if (last === undefined || last.action === 'stop' || last.wait_ms <= 0) return null;
  const until = new Date(Date.parse(last.at) + last.wait_ms);
  if (Number.isNaN(until.getTime()) || until <= now) return null;
  const isOver = [...calls.values()].some(
    ({ reserved, before }) => reserved.stage === last.stage && before.decided === decided.length,
  );
  return isOver ? null : { what: 'time', until: until.toISOString(), stage: last.stage };
}

interface LiveCall {
  look(call: Call): NowCall;
  /** Whether there are more of its events than were read. */
  isBehind(): boolean;
  close(): void;
}

export function liveCall(task: TaskFolder, call: Call, stand_ins: NowCall['stand_ins']): LiveCall {
  const { call_id, stage, tool, account, attempt, deadline_at } = call.reserved;
  const named = { call_id, stage, tool, ...(account === undefined ? {} : { account }) };
  const file = eventsOf(task, call_id);
  const events = growingFile([file]);
  let usage: ReportedUsage = {};
  return {
    isBehind: () => events.isBehind(),
    close: () => events.close(),
    look({ started }) {
      for (const line of linesOf(events)) usage = counted(usage, tool, line);
      const last = lastEvent({ stage, tool, events: file });
      const since = started?.at ?? call.reserved.at;
      return { ...named, stand_ins, attempt, since, deadline_at, last, tokens: tokensOf(usage) };
    },
  };
}

/** The file may be replaced by anything, and may vanish at any moment. */
const linesOf = (events: ReturnType<typeof growingFile>): string[] => tried(() => events.read(false)) ?? [];

function counted(before: ReportedUsage, tool: NowCall['tool'], line: string): ReportedUsage {
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

function sum(before: ReportedUsage, more: ReportedUsage): ReportedUsage {
  const names = Object.keys(more) as (keyof Usage)[];
  return { ...before, ...Object.fromEntries(names.map((name) => [name, (before[name] ?? 0) + (more[name] ?? 0)])) };
}

function tokensOf({ total_tokens, input_tokens, output_tokens }: ReportedUsage): number | null {
  if (typeof total_tokens === 'number') return total_tokens;
  if (typeof input_tokens !== 'number' && typeof output_tokens !== 'number') return null;
  return (input_tokens ?? 0) + (output_tokens ?? 0);
}
