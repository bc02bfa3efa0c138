// Shows the budgets over all tasks, the pace, and what is held until when.

import { firstNames } from '../../../policies/text/display.ts';
import type { BudgetShown, HoldShown, LimitsShown } from '../../contract/overviews.ts';
import { counted, lacking, money, tokens } from '../parts/figures.ts';
import { Mark } from '../parts/mark.tsx';
import { Meter, Panel } from '../parts/panel.tsx';
import { Empty } from '../parts/shown.tsx';
import { Countdown, Dated, Elapsed } from '../parts/times.tsx';
import { to } from '../shell/route.ts';
import { everyLine } from '../tasks/task-list.ts';
import { Words } from '../text/words.tsx';

/** What the dialog sets; without `most`, a new limit. */
export interface LimitSet {
  tool?: string;
  per: string;
  unit?: string;
  most?: number;
}

export const inEach = (per: string): string => (per === 'once' ? 'at once' : `a ${per}`);

/** @param unknown how many calls the sum lacks */
export const amountOf = (unit: string, n: number, unknown = 0): string =>
  unit === 'usd' ? money(n, unknown) : unit === 'tokens' ? `${tokens(n, unknown)} tokens` : counted(n, 'call');

export function Budgets({ of, onSet }: { of: readonly BudgetShown[]; onSet: (budget: BudgetShown | null) => void }) {
  return (
    <Panel
      title="Budgets"
      aside={
        <button type="button" class="button small" onClick={() => onSet(null)}>
          Set a budget
        </button>
      }
    >
      {of.length === 0 ? (
        <Empty title="No limit over all tasks">A task is bound by its own budget alone.</Empty>
      ) : (
        <ul class="budgets">
          {of.map((budget) => (
            <li key={`${budget.tool} ${budget.per} ${budget.unit} ${budget.project}`}>
              <div class="budget-head">
                <b>
                  {budget.tool === 'any' ? 'all CLIs' : budget.tool}, a {budget.per}
                </b>
                <span>
                  {amountOf(budget.unit, budget.used, budget.unknown_calls)} of {amountOf(budget.unit, budget.most)}
                </span>
              </div>
              <Meter used={budget.used} of={budget.most} hasUnknown={budget.unknown_calls > 0} />
              {budget.unknown_calls > 0 && budget.unit === 'tokens' && (
                <p class="dim">In addition: {lacking(budget.unknown_calls, 'tokens')}.</p>
              )}
              {isCountedLate(budget) && (
                <p class="dim">
                  Counted since <Dated at={budget.counted_since!} />, when the first limit was set. Earlier calls of
                  this {budget.per} are not counted.
                </p>
              )}
              <div class="budget-head dim">
                <span>
                  {leftOf(budget)}; starts again in <Countdown to={budget.until} />
                  {budget.project !== null && ', set in the tollgate.yaml of this project'}
                </span>
                {budget.project === null && (
                  <button type="button" class="button small" onClick={() => onSet(budget)}>
                    Change
                    <span class="unseen">
                      {' '}
                      the {budget.unit} of {budget.tool} a {budget.per}
                    </span>
                  </button>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** Whether calls from the beginning of its period are not counted. */
const isCountedLate = ({ counted_since: since, from }: BudgetShown): boolean => since !== null && since > from;

/** Calls of unknown use may have used more, so that less is left than is known. */
function leftOf({ unit, used, most, left, unknown_calls: unknown }: BudgetShown): string {
  if (used >= most) return 'used up';
  return `${unknown > 0 ? 'at most ' : ''}${amountOf(unit, left)} left`;
}

export function Pace({ of, onSet }: { of: LimitsShown; onSet: (pace: LimitSet) => void }) {
  const rows = [
    ...of.at_once.map((row) => ({ ...row, per: 'once' })),
    ...of.per_minute.map((row) => ({ ...row, per: 'minute' })),
  ];
  return (
    <Panel
      title="Calls at once and per minute"
      aside={
        <button type="button" class="button small" onClick={() => onSet({ per: 'once' })}>
          Set a pace
        </button>
      }
    >
      {rows.length === 0 ? (
        <p class="dim">No limit on calls at once or per minute.</p>
      ) : (
        <ul class="holds">
          {rows.map(({ tool, most, per, project }) => (
            <li key={`${tool} ${per} ${project}`}>
              <span>
                {counted(most, 'call')} {inEach(per)}
                {tool !== 'any' && ` of ${tool}`}
                {project !== null && ', set in the tollgate.yaml of this project'}
              </span>
              {project === null && (
                <button type="button" class="button small" onClick={() => onSet({ tool, per, unit: 'calls', most })}>
                  Change
                  <span class="unseen">
                    {' '}
                    the calls of {tool} {inEach(per)}
                  </span>
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {of.open.length === 0 ? (
        <p class="dim">No call runs now.</p>
      ) : (
        <p>
          {counted(of.open.length, 'call is', 'calls are')} counted as running:{' '}
          {of.open.map(({ call_id, tool, since }, nth) => (
            <span key={call_id}>
              {nth > 0 && ', '}
              {tool} for <Elapsed from={since} />
            </span>
          ))}
          <Whose />
        </p>
      )}
    </Panel>
  );
}

/** The tasks here that calls may be of: one of an interrupted run counts until it is settled. */
function Whose() {
  const [running, interrupted] = (['running', 'interrupted'] as const).map((state) =>
    everyLine().flatMap((line) => (line.state === state ? line.task_id : [])),
  );
  if (interrupted!.length === 0) return null;
  return (
    <span class="soft">
      {'. In this project: '}
      {running!.length > 0 && <Words of={`${running!.length} running (${firstNames(running!, NAMED)}), `} />}
      <Words of={`${interrupted!.length} interrupted (${firstNames(interrupted!, NAMED)})`} />
      {interrupted!.length === 1 ? ', which counts until you ' : ', each of which counts until you '}
      <a href={to('machine')}>clean up on Machine</a>
    </span>
  );
}

const NAMED = 2;

export function Holds({ of, onRelease }: { of: readonly HoldShown[]; onRelease: (hold: HoldShown) => void }) {
  return (
    <Panel title="Paused by a service">
      {of.length === 0 ? (
        <p class="dim">Nothing is held: no service has said that it takes no more.</p>
      ) : (
        <ul class="holds">
          {of.map((hold) => (
            <li key={`${hold.tool} ${hold.account} ${hold.model}`}>
              <Mark tone="wait" word={hold.tool} icon="waiting" />
              <span>
                {hold.model === null ? 'all models' : <Words of={hold.model} />}:{' '}
                <Words of={hold.reason.replaceAll('_', ' ')} />,{' '}
                {hold.until === null ? (
                  'until an unknown time'
                ) : (
                  <>
                    free in <Countdown to={hold.until} />
                  </>
                )}
              </span>
              <button type="button" class="button small" onClick={() => onRelease(hold)}>
                Release<span class="unseen"> the hold on {hold.tool}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
