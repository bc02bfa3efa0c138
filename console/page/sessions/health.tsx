// Shows how many days have passed since the last unrecoverable error, and the errors of each day.

import type { HealthShown } from '../../contract/sessions.ts';
import { DayChart } from '../parts/day-chart.tsx';
import { count, counted } from '../parts/figures.ts';
import { Panel } from '../parts/panel.tsx';
import { Ago } from '../parts/times.tsx';

/** Each with the text of its legend. */
const KINDS = {
  unrecovered: 'not recovered',
  recovered: 'recovered',
  users: 'sign-in or quota',
  open: 'still open',
} as const;
const NAMES = Object.values(KINDS);
const KEYS = Object.keys(KINDS) as (keyof typeof KINDS)[];

export function Health({ of: { days_without: without, last_unrecovered: last, days } }: { of: HealthShown }) {
  return (
    <Panel title="Health">
      <p>
        <b class="headline">{without === null ? 'No unrecoverable error' : counted(without, 'day')}</b>{' '}
        {without === null ? (
          'was ever logged here.'
        ) : (
          <>
            without an unrecoverable error; the last was <Ago at={last} />.
          </>
        )}
      </p>
      {days.length > 0 && (
        <DayChart
          title="Failures of the services"
          days={days.map((day) => ({
            day: day.day,
            values: Object.fromEntries(KEYS.map((kind) => [KINDS[kind], day[kind]])),
          }))}
          tools={NAMES}
          say={count}
        />
      )}
    </Panel>
  );
}
