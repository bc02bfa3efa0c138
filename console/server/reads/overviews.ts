// Builds the overviews of all tasks: what runs, open questions, grouped failures, supervisions, and spending.

import { groupFailures } from '../../../loops/report/collect.ts';
import type { RunsNow } from '../../../loops/report/now.ts';
import type { TaskRow } from '../../../loops/report/task-row.ts';
import type { DaySpending } from '../../../policies/report/spending.ts';
import type { SpentInDay, SpentShown } from '../../contract/budgets.ts';
import type { FailuresShown } from '../../contract/failures.ts';
import type { NowShown } from '../../contract/now.ts';
import type { SupervisionsShown } from '../../contract/supervise.ts';

/** The number of tasks that do not run; the latest are shown. */
const MOST_RESTING = 50;

export function nowShown({ tasks, totals }: RunsNow, rows: readonly TaskRow[]): NowShown {
  const running = tasks.filter(({ state }) => state === 'running');
  const resting = tasks.filter(({ state }) => state !== 'running' && state !== 'never_run').slice(0, MOST_RESTING);
  const questions = rows.flatMap(({ task_id, state, supervision }) =>
    state === 'parked' && supervision?.question ? [{ task_id, question: supervision.question }] : [],
  );
  const answered = rows.filter(({ state, supervision }) => state !== 'running' && supervision?.answer_waits);
  return { tasks: [...running, ...resting], totals, questions, answered: answered.map(({ task_id }) => task_id) };
}

export const failuresShown = (rows: readonly TaskRow[]): FailuresShown => ({ groups: groupFailures(rows) });

export function supervisionsShown(rows: readonly TaskRow[]): SupervisionsShown {
  return {
    supervisions: rows.flatMap(({ task_id, state, at, supervision }) => {
      if (supervision === null) return [];
      const { question, answer_waits, instruction, iterations } = supervision;
      const errors = Number.parseInt(iterations.at(-1)?.errors ?? '0', 10) || 0;
      return [{ task_id, state, question, answer_waits, instruction, errors, iterations, at }];
    }),
  };
}

const SHOWN_DAYS = 30;
const DAY_MS = 86_400_000;

export function spentShown(spent: readonly DaySpending[], now: Date): SpentShown {
  const days = Array.from({ length: SHOWN_DAYS }, (_, back) => {
    const day = new Date(now.getTime() - (SHOWN_DAYS - 1 - back) * DAY_MS).toISOString().slice(0, 10);
    return { day, by_tool: {} as SpentShown['days'][number]['by_tool'] };
  });
  const tools = new Set<string>();
  for (const { day, tool, ...more } of spent) {
    const of = days.find((each) => each.day === day)?.by_tool;
    if (of === undefined) continue;
    tools.add(tool);
    const sum = Object.hasOwn(of, tool) ? of[tool]! : NOTHING_SPENT;
    of[tool] = {
      calls: sum.calls + more.calls,
      tokens: sum.tokens + more.tokens,
      calls_without_tokens: sum.calls_without_tokens + more.calls_without_tokens,
      usd: sum.usd + more.usd,
      calls_without_price: sum.calls_without_price + more.calls_without_price,
    };
  }
  return { tools: [...tools].sort(), days };
}

const NOTHING_SPENT: SpentInDay = { calls: 0, tokens: 0, calls_without_tokens: 0, usd: 0, calls_without_price: 0 };
