// Lists the failures, one row for each cause, explains the chosen one, and shows the health of the services.

import { classWord } from '../../../policies/facts/classes.ts';
import { firstNames } from '../../../policies/text/display.ts';
import type { FailureShown } from '../../contract/overviews.ts';
import type { Resources } from '../../contract/resources.ts';
import type { HealthShown } from '../../contract/sessions.ts';
import { useFollowing } from '../live/follow.ts';
import { ActionButton, Advice, earliestOf, isRerun, isRunnable, lineOf } from '../parts/actions.tsx';
import { DayChart } from '../parts/day-chart.tsx';
import { classChoice, FilterChoice, FilterField } from '../parts/field.tsx';
import { count, counted } from '../parts/figures.ts';
import { ClassMark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { Cell, VirtualTable } from '../parts/table.tsx';
import { Ago } from '../parts/times.tsx';
import { type ReadonlySignal, useEffect, useSignal } from '../reactive.ts';
import { route, setQuery, to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { RerunButton, RerunDialog } from '../tasks/rerun.tsx';
import { signedOutOf } from '../tasks/task-list.ts';
import { Words } from '../text/words.tsx';
import { Chosen } from './explanation.tsx';

export function FailuresView() {
  const rerun = useSignal<readonly string[] | null>(null);
  const failures = useFollowing<Resources['/api/failures']>(
    '/api/failures',
    (topic) => topic === 'tasks' || topic === '*',
  );
  const health = useFollowing<Resources['/api/health']>(
    '/api/health',
    (topic) => topic === 'sessions' || topic === 'tasks' || topic === '*',
  );
  return (
    <View title="Failures" about="Current failures, grouped by cause.">
      <Shown of={failures} what="the failures">
        {({ groups }) =>
          groups.length === 0 ? (
            <div class="panel">
              <Empty title="Nothing has failed">
                <a class="button" href={to('tasks')}>
                  See all tasks
                </a>
              </Empty>
            </div>
          ) : (
            <Groups of={groups} onRerun={(ids) => (rerun.value = ids)} />
          )
        }
      </Shown>
      <Shown of={health} what="how the services answer">
        {(shown) => <Health of={shown} />}
      </Shown>
      {/* Remains when the started tasks no longer fail. */}
      {rerun.value && <RerunDialog ids={rerun.value} onClose={() => (rerun.value = null)} />}
    </View>
  );
}

const DATES = [
  ['', 'any time'],
  ['1', 'the last day'],
  ['7', 'the last 7 days'],
  ['30', 'the last 30 days'],
] as const;
const DAY_MS = 86_400_000;

const NO_FILTER = { q: '', class: '', cli: '', days: '' };

interface GroupsProps {
  of: readonly FailureShown[];
  onRerun: (ids: readonly string[]) => void;
}

function Groups({ of: groups, onRerun }: GroupsProps) {
  const { query } = route.value;
  const filter = { q: query.get('q') ?? '', class: query.get('class') ?? '', cli: query.get('cli') ?? '' };
  const days = DATES.find(([value]) => value === query.get('days'))?.[0] ?? '';
  const since = days === '' ? '' : new Date(Date.now() - Number(days) * DAY_MS).toISOString();
  const text = filter.q.toLowerCase();
  const some = groups.filter(
    (group) =>
      (filter.class === '' || group.class === filter.class) &&
      (filter.cli === '' || group.tools.includes(filter.cli)) &&
      (since === '' || (group.last_seen ?? '') >= since) &&
      has(group, text),
  );
  const byKey = new Map(some.map((group) => [keyOf(group), group]));
  const isFiltered = filter.class !== '' || filter.cli !== '' || days !== '';
  const isOpen = useSignal(false);
  const isNarrow = useNarrow();
  return (
    <>
      <div class="bar">
        <FilterField label="Filter failures" value={filter.q} onInput={(q) => setQuery({ q })} />
        <details
          class="filters"
          open={!isNarrow.value || isFiltered || isOpen.value}
          onToggle={(event) => {
            if (isNarrow.value) isOpen.value = event.currentTarget.open;
          }}
        >
          <summary>Filters</summary>
          <div class="bar">
            <FilterChoice
              label="Cause"
              value={filter.class}
              among={[['', 'all'], ...distinct(groups.map((group) => group.class)).map(classChoice)]}
              onChoose={(value) => setQuery({ class: value })}
            />
            <FilterChoice
              label="CLI"
              value={filter.cli}
              among={[
                ['', 'all'],
                ...distinct(groups.flatMap(({ tools }) => tools)).map((tool) => [tool, tool] as const),
              ]}
              onChoose={(cli) => setQuery({ cli })}
            />
            <FilterChoice
              label="Last seen"
              value={days}
              among={DATES}
              onChoose={(value) => setQuery({ days: value })}
            />
          </div>
        </details>
        <span class="dim" aria-live="polite">
          {some.length === groups.length
            ? counted(some.length, 'cause')
            : `${count(some.length)} of ${counted(groups.length, 'cause')}`}
          {`, ${counted(new Set(some.flatMap(({ task_ids: ids }) => ids)).size, 'task')}`}
        </span>
      </div>
      {some.length === 0 ? (
        <div class="panel">
          <Empty title="No failure fits the filter">
            <button type="button" class="button" onClick={() => setQuery(NO_FILTER)}>
              Show all failures
            </button>
          </Empty>
        </div>
      ) : (
        <div class="panel">
          <VirtualTable
            label="Failures"
            keys={[...byKey.keys()]}
            rowHeight={72}
            columns="of-failures"
            head={HEADS.map((head) => (
              // biome-ignore lint/a11y/useSemanticElements: see the table
              // biome-ignore lint/a11y/useFocusableInteractive: the heading is only read
              <div key={head} role="columnheader">
                {head}
              </div>
            ))}
            row={(key) => (
              <GroupCells
                of={byKey.get(key)!}
                isOpen={key === query.get('of')}
                isMain={byKey.get(key) === nextOf(some)}
                onRerun={onRerun}
              />
            )}
          />
        </div>
      )}
    </>
  );
}

const HEADS = ['Cause', 'What happened', '14 days', 'Where', 'What to do'];

const has = (
  { signature, class: errorClass, reason, sentence, evidence, task_ids: ids }: FailureShown,
  text: string,
): boolean =>
  text === '' ||
  [signature, errorClass, classWord(errorClass), reason, sentence, evidence, ...ids].some(
    (each) => each?.toLowerCase().includes(text) ?? false,
  );

/** Narrower than this, the choices are folded, so that the first failure is in sight. */
const NARROW = '(max-width: 560px)';

function useNarrow(): ReadonlySignal<boolean> {
  const isNarrow = useSignal(matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const look = () => {
      isNarrow.value = query.matches;
    };
    query.addEventListener('change', look);
    return () => query.removeEventListener('change', look);
  }, []);
  return isNarrow;
}

/** The first one whose way out needs no wait. */
export const nextOf = (of: readonly FailureShown[]): FailureShown | undefined =>
  of.find(({ next_action: action, last_seen: last }) => action === null || earliestOf(action, last) === null) ?? of[0];

/** Names it in an address. */
export const keyOf = ({ signature, class: errorClass, reason }: FailureShown): string =>
  signature ?? `${errorClass} ${reason}`;

const distinct = (names: readonly string[]): string[] => [...new Set(names)].sort();

interface GroupCellsProps {
  of: FailureShown;
  isOpen: boolean;
  /** Whether what to do about it is the next step of the page. */
  isMain: boolean;
  onRerun: (ids: readonly string[]) => void;
}

const NAMED = 3;

function GroupCells({ of: group, isOpen, isMain, onRerun }: GroupCellsProps) {
  const { class: errorClass, reason, sentence, evidence, task_ids: ids, last_seen: last, trend } = group;
  return (
    <>
      <Cell as="class">
        <ClassMark class={errorClass} reason={reason} />
      </Cell>
      <Cell as="what">
        <a
          href={to('failures')}
          aria-expanded={isOpen}
          onClick={(event) => {
            event.preventDefault();
            setQuery({ of: isOpen ? '' : keyOf(group) });
          }}
        >
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> <Words of={sentence} />
        </a>
        {evidence && !isOpen && (
          <span class="mono cut dim" title={evidence.slice(0, 500)}>
            <Words of={evidence.slice(0, 300)} />
          </span>
        )}
      </Cell>
      <Cell as="trends">
        <Trend of={trend} />
      </Cell>
      <Cell as="seen dim">
        <b>{`${counted(group.count, 'failed call')} in ${counted(ids.length, 'task')}`}</b>
        <span class="two-lines">
          <Words of={firstNames(ids, NAMED)} />
        </span>
        <Ago at={last} />
      </Cell>
      <Cell as="do">
        <WayOut of={group} isMain={isMain} onRerun={onRerun} />
      </Cell>
      {isOpen && (
        <Cell as="whole">
          <Chosen of={group} />
        </Cell>
      )}
    </>
  );
}

interface WayOutProps {
  of: FailureShown;
  /** Whether it is the next step of the page. */
  isMain: boolean;
  onRerun: (ids: readonly string[]) => void;
}

/** What to do first about a failure, and the rerun of its tasks. */
export function WayOut({ of: { task_ids: ids, last_seen: last, next_action: action }, isMain, onRerun }: WayOutProps) {
  // The button that reruns the tasks does the same: then it is the main one.
  const isFirst = action !== null && isRerun(action);
  const isBarred = signedOutOf(ids).length > 0;
  const line = action === null || isRunnable(action) ? undefined : lineOf(action);
  return (
    <>
      {action && <Advice of={action} failedAt={last} tasks={ids} line={line} isMain={isMain && !isBarred} />}
      <div class="buttons">
        {action && !isFirst && <ActionButton of={action} isMain={isMain && !isBarred} />}
        <RerunButton
          ids={ids}
          name={ids[0]!}
          isMain={isMain && (isFirst || isBarred)}
          earliest={isFirst ? earliestOf(action, last) : null}
          onRerun={onRerun}
        />
      </div>
    </>
  );
}

const BAR = 6;
const GAP = 2;
const HEIGHT = 26;

function Trend({ of: days }: { of: FailureShown['trend'] }) {
  const most = Math.max(1, ...days.map(({ tasks }) => tasks));
  const height = (tasks: number) => (tasks === 0 ? 1 : 3 + (tasks / most) * (HEIGHT - 3));
  return (
    <svg
      class="trend"
      viewBox={`0 0 ${days.length * (BAR + GAP)} ${HEIGHT}`}
      role="img"
      aria-label={`Tasks by the day on which they failed last: ${inWords(days)}`}
    >
      {days.map(({ day, tasks }, at) => (
        <rect
          key={day}
          class={tasks === 0 ? 'none' : ''}
          x={at * (BAR + GAP)}
          width={BAR}
          y={HEIGHT - height(tasks)}
          height={height(tasks)}
        >
          <title>{`${day}: ${counted(tasks, 'task')}`}</title>
        </rect>
      ))}
    </svg>
  );
}

function inWords(days: FailureShown['trend']): string {
  const some = days.filter(({ tasks }) => tasks > 0);
  if (some.length === 0) return `none in ${counted(days.length, 'day')}`;
  return some.map(({ day, tasks }) => `${day} ${tasks}`).join(', ');
}

/** Each with the text of its legend. */
const KINDS = {
  unrecovered: 'not recovered',
  recovered: 'recovered',
  users: 'sign-in or quota',
  open: 'still open',
} as const;

const NAMES = Object.values(KINDS);

const KINDS_SHOWN = Object.keys(KINDS) as (keyof typeof KINDS)[];

/** Of a single day there is nothing to compare, so its chart is folded. */
function Health({ of: { days_without: without, last_unrecovered: last, days } }: { of: HealthShown }) {
  const chart = days.length > 0 && (
    <div class="of-health">
      <DayChart
        title="Failures of the services"
        days={days.map((day) => ({
          day: day.day,
          values: Object.fromEntries(KINDS_SHOWN.map((kind) => [KINDS[kind], day[kind]])),
        }))}
        tools={NAMES}
        unit="failures"
        say={count}
      />
    </div>
  );
  // The ages above say it of a failure of today.
  const words = without !== 0 && (
    <p>
      {without === null ? (
        'No failure that Tollgate could not recover was ever logged here.'
      ) : (
        <>
          The last failure that Tollgate could not recover by itself:{' '}
          <b class="headline">
            <Ago at={last} />
          </b>
          {without > 0 && `, ${counted(without, 'day')} without one`}
        </>
      )}
    </p>
  );
  if (days.length > 1)
    return (
      <Panel title="Failures by day">
        {words}
        {chart}
      </Panel>
    );
  return (
    <>
      {words}
      {days.length === 1 && (
        <details class="panel">
          <summary>Failures by day</summary>
          {chart}
        </details>
      )}
    </>
  );
}
