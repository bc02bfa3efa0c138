// Finds the state of a task: whether a process works on it, and otherwise how its last run ended.

import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { type Call, decisionsByCall, type Ledger, openCalls } from '../../state/journal/ledger.ts';
import { isAlive } from '../../wrappers/processes/identity.ts';

/** `refused`: its last run found a mistake, or a changed prompt, and ran nothing. `parked`: its reasoner waits for an answer. */
export type TaskState = 'done' | 'failed' | 'interrupted' | 'refused' | 'parked' | 'running' | 'never_run';

interface TaskStanding {
  state: TaskState;
  /** The state without refused runs. */
  before: Exclude<TaskState, 'refused'>;
  /** ISO time of the last event; null if there is none. */
  at: string | null;
  /** The process that works on the task, in half a sentence; null if there is none. */
  held: string | null;
}

/** @param self this process. Whether one on another host or in another container lives cannot be known. */
export async function standingOf(ledger: Ledger, self: ProcessIdentity): Promise<TaskStanding> {
  const at = lastTime(ledger);
  const held = await holderOf(ledger, self);
  if (held !== null) return { state: 'running', before: 'running', at, held };
  // A run that is dead and released nothing, or a call that was not settled.
  if (ledger.run !== null || openCalls(ledger).length > 0)
    return { state: 'interrupted', before: 'interrupted', at, held };
  const ends = [...ledger.released.values()].reverse();
  const last = ends.find(({ state }) => state !== 'refused');
  const before = last === undefined ? 'never_run' : (last.state as Exclude<typeof last.state, 'refused'>);
  return { state: ends[0]?.state ?? before, before, at: ends[0]?.at ?? at, held };
}

/** A call without a result. */
export interface CallInProgress {
  call: Call;
  /** Its guardian; after its death its CLI, if that is recorded. */
  process: ProcessIdentity;
  /** `unknown`: on another host or in another container, or no record names its CLI. */
  life: 'alive' | 'dead' | 'unknown';
}

export async function callsInProgress(ledger: Ledger, self: ProcessIdentity): Promise<CallInProgress[]> {
  const found: CallInProgress[] = [];
  for (const call of openCalls(ledger)) {
    const { guardian } = call.reserved;
    const life = await isAlive(guardian, self);
    const cli = call.started?.cli ?? null;
    if (life !== 'dead') found.push({ call, process: guardian, life });
    else if (cli === null) found.push({ call, process: guardian, life: 'unknown' });
    else found.push({ call, process: cli, life: await isAlive(cli, self) });
  }
  return found;
}

/** Returns the stages that are in progress: those with an open call, and the one that its run works on between two calls. */
export async function stagesAtWork(ledger: Ledger, self: ProcessIdentity): Promise<ReadonlySet<string>> {
  const stages = new Set<string>();
  for (const { call, life } of await callsInProgress(ledger, self))
    if (life !== 'dead') stages.add(call.reserved.stage);
  const { run, calls, done, gates } = ledger;
  if (run === null || (await isAlive(run.owner, self)) === 'dead') return stages;
  const last = [...calls.values()].findLast(({ granted, reserved }) => granted && reserved.run_id === run.run_id);
  if (last === undefined) return stages;
  const { stage, call_id } = last.reserved;
  const gate = gates.get(stage);
  const isOver = done.has(stage) || gate?.call_id === call_id || decisionsByCall(ledger).get(last)?.action === 'stop';
  return isOver ? stages : stages.add(stage);
}

async function holderOf(ledger: Ledger, self: ProcessIdentity): Promise<string | null> {
  const workers = [
    ...(ledger.run === null ? [] : [{ what: 'a run', process: ledger.run.owner }]),
    ...openCalls(ledger).map(({ reserved }) => ({ what: `a call of ${reserved.stage}`, process: reserved.guardian })),
  ];
  for (const { what, process } of workers) {
    const life = await isAlive(process, self);
    if (life === 'alive') return `${what} has it (pid ${process.pid})`;
    if (life === 'unknown') return `${what} has it on ${process.host} (or in another container)`;
  }
  return null;
}

function lastTime({ released, calls, decided, gates, done }: Ledger): string | null {
  let last: string | null = null;
  const see = (line: { at: string } | null) => {
    if (line !== null && (last === null || line.at > last)) last = line.at;
  };
  for (const lines of [released, gates, done]) for (const line of lines.values()) see(line);
  for (const { reserved, started, ended, verdict } of calls.values())
    for (const line of [reserved, started, ended, verdict]) see(line);
  for (const line of decided) see(line);
  return last;
}
