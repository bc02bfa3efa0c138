// Reserves one paid call on disk, before anything is spawned.

import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import type { CallTerms } from '../../policies/manifest/call-terms.ts';
import type { Fact } from '../../state/journal/facts.ts';
import { type Journal, JournalError, openJournal } from '../../state/journal/journal.ts';
import { budgetOf, type Call, type Ledger, openCalls } from '../../state/journal/ledger.ts';
import { adoptEdits, refreshStats } from '../../state/journal/stats.ts';
import { readBudgets } from '../../state/project/manifest.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { networkMistake } from '../../state/volume.ts';
import { ancestorsOf, isAmong } from '../../wrappers/processes/ancestors.ts';
import { groupedCall } from '../../wrappers/processes/cgroup.ts';
import type { Charge } from '../attempt/request.ts';
import { type Refusal, toolingRefusal } from './check.ts';

export { refreshStats };

interface Reservation {
  callId: string;
  tool: Tool;
  /** The account of the user's settings; absent for the login of the environment. */
  account?: string;
  guardian: ProcessIdentity;
  deadlineAt: Date;
  terms: CallTerms;
  /** The ids of the calls that enclose this one, the outermost first. */
  outer: readonly string[];
}

type Reserved = { how: 'admitted'; journal: Journal; attempt: number } | { how: 'refused'; refusal: Refusal };

/** Nothing is spent if the state of the task cannot be read or written. */
export async function reserve(charge: Charge, reservation: Reservation, clock: () => Date): Promise<Reserved> {
  try {
    return await reserveOn(charge, reservation, clock);
  } catch (error) {
    if (error instanceof JournalError) return badState(error.message);
    if (!isSystemError(error)) throw error;
    const { message } = error;
    const what = `the state of task ${charge.task.id} cannot be written (${message}); nothing was started. Make ${charge.task.state} writable, with space on its disk`;
    return { how: 'refused', refusal: toolingRefusal('state_unwritable', what, 'failure') };
  }
}

async function reserveOn(charge: Charge, reservation: Reservation, clock: () => Date): Promise<Reserved> {
  const journal = openJournal(charge.task.root, clock);
  const mistake =
    networkMistake(charge.task.root) ?? (await adoptEdits(journal, clock)) ?? (await setBudget(journal, charge.task));
  if (mistake !== null) return badState(mistake);
  const earlier = [...journal.read().ledger.calls.values()].filter((call) => call.reserved.stage === charge.stage);
  const attempt = earlier.filter((call) => call.granted).length + 1;
  const { callId, tool, account, guardian, deadlineAt, terms } = reservation;
  const within = await outerCall(journal.read().ledger, reservation.outer);
  const ledger = noteReservation(journal, {
    fact: 'reserved',
    call_id: callId,
    run_id: charge.runId,
    stage: charge.stage,
    tool,
    ...(account === undefined ? {} : { account }),
    attempt,
    for_prompt: charge.forPrompt,
    guardian,
    deadline_at: deadlineAt.toISOString(),
    terms,
    ...(charge.nestedCalls ? { nested_calls: charge.nestedCalls } : {}),
    ...(within === null ? {} : { within: within.reserved.call_id }),
  });
  if (ledger.calls.get(callId)?.granted === true) return { how: 'admitted', journal, attempt };
  await refreshStats(journal, clock);
  if (charge.runId !== null && ledger.takenOver.has(charge.runId)) return lateRefusal(charge.task);
  if (within !== null && ledger.used < budgetOf(ledger))
    return { how: 'refused', refusal: nestedRefusal(charge.task, within) };
  return { how: 'refused', refusal: budgetRefusal(charge.task, ledger.used, budgetOf(ledger)) };
}

/**
 * Finds the call of this task whose agent requests this one: by ancestors, then by cgroup. The marker comes last, since an agent
 * can set it to a call that has nested calls to spare.
 */
async function outerCall(ledger: Ledger, outer: readonly string[]): Promise<Call | null> {
  const marked = outer.flatMap((id) => ledger.calls.get(id) ?? [])[0] ?? null;
  const open = openCalls(ledger).filter(({ started }) => started?.cli != null);
  if (open.length === 0) return marked;
  const above = await ancestorsOf(process.pid);
  const grouped = groupedCall();
  return (
    open.find(({ started }) => isAmong(above, started!.cli!)) ??
    open.find(({ reserved }) => reserved.call_id === grouped) ??
    marked
  );
}

type ReservedFact = Extract<Fact, { fact: 'reserved' }>;

/**
 * A run that replaces the journal copies facts that it missed, but only after its rename. Until then the reservation is not
 * visible in the new journal. The call would be refused and still be counted. A fact that is appended twice counts once.
 */
export function noteReservation(journal: Journal, fact: ReservedFact): Ledger {
  for (let tries = TRIES; tries > 0; tries -= 1) {
    journal.append(fact);
    const { ledger } = journal.read();
    if (ledger.calls.has(fact.call_id)) return ledger;
  }
  throw new JournalError(`${journal.file} does not hold what was just written to it; see who else writes there`);
}

const TRIES = 10;

const badState = (message: string): Reserved => ({ how: 'refused', refusal: toolingRefusal('bad_state', message) });

/** The call's dispatcher died before the reservation. The run that has the task now makes its own request. */
const lateRefusal = ({ id }: TaskFolder): Reserved => ({
  how: 'refused',
  refusal: {
    class: 'transient',
    reason: 'interrupted',
    exit: 'failure',
    message: `another run has taken over the task ${id}, and makes its own calls; nothing was started`,
  },
});

/** Takes the budget from the manifest if no run has opened the task yet. */
async function setBudget(journal: Journal, task: TaskFolder): Promise<string | null> {
  if (task.manifest === null || journal.read().ledger.budget !== null) return null;
  const read = await readBudgets(task.manifest);
  if (read.how === 'invalid') return read.message;
  journal.append({ fact: 'budget', calls: read.budgets.paid_call_budget, from: 'manifest' });
  return null;
}

function budgetRefusal(task: TaskFolder, used: number, budget: number): Refusal {
  const stats = path.join(task.state, 'stats.json');
  return {
    class: 'quota',
    reason: 'budget',
    exit: 'failure',
    limit: { name: 'task_budget', value: budget, unit: 'calls' },
    message: `the budget of task ${task.id} is used up: ${used} of ${budget} paid calls; nothing was started. To allow more: tollgate budget ${task.id} --set ${budget + 5} (or edit paid_call_budget in ${stats})`,
  };
}

function nestedRefusal(task: TaskFolder, { reserved, nested }: Call): Refusal {
  const most = reserved.nested_calls ?? 0;
  const allowed = most === 0 ? 'none' : `${most}, which are used up`;
  return {
    class: 'quota',
    reason: 'budget',
    exit: 'failure',
    limit: { name: 'nested_calls', value: most, unit: 'calls' },
    message: `this command was called from within the call ${reserved.call_id} of stage ${reserved.stage}, whose agent may charge ${allowed} to task ${task.id}; nothing was started. Leave --task out, or have budgets.nested_calls in its manifest allow more than ${nested}`,
  };
}
