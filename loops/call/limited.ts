// Loads together what a call within limits needs: its admission and its caps before it, its settlement after it.

import type { Cap, Caps } from '../../policies/limits/caps.ts';
import { strictestCaps, usedUp } from '../../policies/manifest/call-terms.ts';
import { JournalError, openJournal } from '../../state/journal/journal.ts';
import { readBudgets } from '../../state/project/manifest.ts';
import type { GivenManifest } from '../../state/project/manifest-schema.ts';
import { readProject } from '../../state/project/project.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { type ChargedTask, spentOf } from '../../state/usage.ts';
import type { Adapter } from '../../wrappers/adapter.ts';
import type { CheckedCall } from '../attempt/phases.ts';
import { projectOf } from '../limits/limited-call.ts';
import { isPriced, pricesOf } from './caps.ts';
import { type Refusal, toolingRefusal } from './check.ts';

export { askLimits } from '../limits/admission.ts';
export { settleLimits } from '../limits/settle-limits.ts';

/** @returns null if the task limits neither. Without a price, dollars are counted only after the call. */
export function capsOfTask(
  { max_tokens: tokens, max_usd: usd }: GivenManifest['budgets'],
  charged: ChargedTask,
  adapter: Adapter,
  model: string | null,
): Caps | null {
  if (tokens === undefined && usd === undefined) return null;
  const spent = spentOf(charged);
  const { prices } = charged.project;
  return {
    tokens: tokens === undefined ? null : { max: tokens - spent.tokens, of: 'task' },
    usd: usd !== undefined && isPriced(adapter, model, prices) ? { max: usd - spent.usd, of: 'task' } : null,
    prices,
    model,
  };
}

/** @returns the call, capped by what remains of its task's tokens and dollars, or a refusal. */
export async function withinTask(
  checked: CheckedCall,
  task: TaskFolder,
  manifest: string,
): Promise<CheckedCall | Refusal> {
  const { request, clock } = checked;
  const read = await readBudgets(manifest);
  if (read.how === 'invalid') return toolingRefusal('bad_state', read.message);
  const { budgets } = read;
  if (budgets.max_tokens === undefined && budgets.max_usd === undefined) return checked;
  const project = await readProject(projectOf({ task, cwd: request.call.cwd }));
  if (project.how === 'invalid') return toolingRefusal('bad_state', project.message);
  try {
    const charged = { task, journal: openJournal(task.root, clock), project: project.value };
    const { max_tokens, max_usd } = budgets;
    const limit = usedUp({ max_tokens, max_usd }, { ...spentOf(charged), wallLeftMs: null });
    if (limit === null) return capped(checked, capsOfTask(budgets, charged, request.adapter, request.call.model)!);
    const message = `the budget of task ${task.id} is used up: ${limit.why}; nothing was started. To allow more, raise budgets.${limit.field} in ${manifest}`;
    return { class: 'quota', reason: 'budget', exit: 'failure', limit: limit.limit!, message };
  } catch (error) {
    // The reservation meets the same error, and reports it.
    if (error instanceof JournalError || isSystemError(error)) return checked;
    throw error;
  }
}

/** @param left what remains of the limits over all tasks; null: any number. */
export async function cappedBy(
  checked: CheckedCall,
  left: { tokens: number | null; usd: number | null },
): Promise<CheckedCall> {
  const { charge, call } = checked.request;
  const known = left.usd === null ? {} : await pricesOf(projectOf({ task: charge?.task ?? null, cwd: call.cwd }));
  const prices = typeof known === 'string' ? {} : known;
  const cap = (max: number | null): Cap | null => (max === null ? null : { max, of: 'limit' });
  return capped(checked, { tokens: cap(left.tokens), usd: cap(left.usd), prices, model: call.model });
}

function capped(checked: CheckedCall, caps: Caps): CheckedCall {
  const { request } = checked;
  const limits = { ...request.limits, ...strictestCaps(request.limits.caps, caps) };
  return { ...checked, request: { ...request, limits } };
}
