// Shows the use by day, week or month and tool, against the budgets of that period.

import type { BudgetShown, SpentInDay, SpentShown } from '../../contract/overviews.ts';
import { CopyButton } from '../parts/copy.tsx';
import { type ChartPeriod, type Day, DayChart } from '../parts/day-chart.tsx';
import { count, counted, money, tokens } from '../parts/figures.ts';
import { CostToday } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { route, setQuery } from '../shell/route.ts';
import { amountOf } from './limits.tsx';

const UNITS = {
  calls: { say: count, name: 'calls', axis: 'calls', lacks: () => 0 },
  tokens: { say: tokens, name: 'tokens', axis: 'tokens', lacks: (used: SpentInDay) => used.calls_without_tokens },
  usd: { say: money, name: 'cost', axis: 'US$', lacks: (used: SpentInDay) => used.calls_without_price },
} as const;
type Unit = keyof typeof UNITS;

/** How many periods are shown. */
const PERIODS: Record<ChartPeriod, number> = { day: 30, week: 26, month: 12 };

interface SpentProps {
  of: SpentShown;
  budgets: readonly BudgetShown[];
}

export function Spent({ of: { days, tools }, budgets }: SpentProps) {
  const { query } = route.value;
  const unit = chosen(UNITS, query.get('unit')) ?? 'calls';
  const per = chosen(PERIODS, query.get('per')) ?? 'day';
  const { say, name, axis } = UNITS[unit];
  return (
    <Panel
      title={`Used by ${per}, by the tasks of this project`}
      aside={
        <div class="bar">
          <span class="dim" aria-hidden="true">
            Show
          </span>
          <Choices
            label="Shown as"
            of={(Object.keys(UNITS) as Unit[]).map((each) => [each, UNITS[each].name])}
            chosen={unit}
            onChoose={(each) => setQuery({ unit: each })}
          />
          <span class="dim" aria-hidden="true">
            by
          </span>
          <Choices
            label="For each"
            of={(Object.keys(PERIODS) as ChartPeriod[]).map((each) => [each, each])}
            chosen={per}
            onChoose={(each) => setQuery({ per: each })}
          />
        </div>
      }
    >
      <DayChart
        title={name}
        days={summed(days, per, unit)}
        per={per}
        lack={unit === 'usd' ? 'price' : 'tokens'}
        tools={tools}
        unit={axis}
        say={say}
        // Several small amounts are all `< $0.01`, which would be no scale.
        mark={(value) => (unit === 'usd' && value > 0 && value < 0.1 ? `$${value.toPrecision(1)}` : say(value))}
        limits={budgets
          .filter((budget) => budget.per === per && budget.unit === unit && isOfThese(budget))
          .map(({ tool, most }) => ({ name: `budget of ${tool === 'any' ? 'all CLIs' : tool}`, most }))}
      />
      {budgets.some((budget) => budget.per === per && !isOfThese(budget)) && (
        <p class="dim">
          The budgets above are not drawn here: they count other projects too, or began later than these figures.
        </p>
      )}
    </Panel>
  );
}

/** A line for a limit of more projects, or of a shorter time, would be compared with the wrong bars. */
const isOfThese = ({ project, counted_since: since }: BudgetShown): boolean => project !== null && since === null;

interface TodayProps {
  of: SpentShown;
  budgets: readonly BudgetShown[];
}

/** Three figures: calls and cost of today, and what is left of the budget that ends first. */
export function Today({ of: { days }, budgets }: TodayProps) {
  const used = Object.values(days.at(-1)?.by_tool ?? {});
  const sum = (of: (each: SpentInDay) => number) => used.reduce((total, each) => total + of(each), 0);
  const [usd, without] = [sum((each) => each.usd), sum((each) => each.calls_without_price)];
  const calls = sum((each) => each.calls);
  const [first] = [...budgets].sort((a, b) => a.left / Math.max(1, a.most) - b.left / Math.max(1, b.most));
  return (
    <>
      <ul class="strip">
        {first !== undefined && (
          <li>
            <b>
              {first.unit === 'calls' ? count(first.left) : amountOf(first.unit, first.left)} of{' '}
              {amountOf(first.unit, first.most)} left {THIS[first.per] ?? `a ${first.per}`}
            </b>
            {first.tool !== 'any' && ` for ${first.tool}`}
            {first.project === null ? ', in all projects' : ', in this project'}
          </li>
        )}
        <li>
          <b>{count(calls)}</b> {calls === 1 ? 'call' : 'calls'} today in this project, counted in UTC
        </li>
        <li>
          <CostToday usd={usd} without={without} calls={calls} />
        </li>
        {first === undefined && (
          <li>
            <b>no limit</b>
          </li>
        )}
      </ul>
      {without > 0 && (
        <p class="dim">
          {counted(without, 'call has', 'calls have')} no price: {without === 1 ? 'its CLI' : 'their CLIs'} reported no
          cost. Set prices in tollgate.yaml, in US dollars per million tokens: <code class="inline">{PRICES}</code>{' '}
          <CopyButton text={PRICES} name="Copy setting" look="icon" />
        </p>
      )}
    </>
  );
}

const THIS: Readonly<Record<string, string>> = { day: 'today', week: 'this week', month: 'this month' };

const chosen = <K extends string>(among: Record<K, unknown>, name: string | null): K | undefined =>
  (Object.keys(among) as K[]).find((each) => each === name);

const PRICES = 'prices: {MODEL: {input: 1.25, output: 10}}';

interface ChoicesProps {
  label: string;
  of: readonly (readonly [value: string, name: string])[];
  chosen: string;
  onChoose: (value: string) => void;
}

function Choices({ label, of, chosen: current, onChoose }: ChoicesProps) {
  return (
    <fieldset class="chips">
      <legend class="unseen">{label}</legend>
      {of.map(([value, name]) => (
        <button key={value} type="button" class="chip" aria-pressed={value === current} onClick={() => onChoose(value)}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}

/** Sums the days of each period, in UTC; a week begins on Monday, as it does for a budget. */
function summed(days: SpentShown['days'], per: ChartPeriod, unit: Unit): Day[] {
  const periods = new Map<string, { values: Record<string, number>; without: Record<string, number> }>();
  for (const { day, by_tool: byTool } of days) {
    const first = firstDay(day, per);
    // Without a prototype: a project may name a CLI `constructor`.
    const sum = periods.get(first) ?? { values: Object.create(null), without: Object.create(null) };
    for (const [tool, used] of Object.entries(byTool)) {
      sum.values[tool] = (sum.values[tool] ?? 0) + used[unit];
      sum.without[tool] = (sum.without[tool] ?? 0) + UNITS[unit].lacks(used);
    }
    periods.set(first, sum);
  }
  return [...periods].slice(-PERIODS[per]).map(([day, sum]) => ({ day, ...sum }));
}

const DAY_MS = 86_400_000;

function firstDay(day: string, per: ChartPeriod): string {
  if (per === 'day') return day;
  if (per === 'month') return `${day.slice(0, 7)}-01`;
  const date = new Date(`${day}T00:00:00Z`);
  return new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10);
}
