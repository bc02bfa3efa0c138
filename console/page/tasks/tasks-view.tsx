// Shows all tasks in one table with filter and order; each row leads to the view of its task, and several can be selected.

import type { TaskLine } from '../../contract/page.ts';
import { Advice, earliestOf, Paid, signInFirst } from '../parts/actions.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { classChoice, FilterChoice, FilterField } from '../parts/field.tsx';
import { count, counted } from '../parts/figures.ts';
import { Cost, PriceNote, StateMark, wordOf } from '../parts/mark.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { Cell, VirtualTable } from '../parts/table.tsx';
import { Ago, From } from '../parts/times.tsx';
import { type ReadonlySignal, useComputed, useMemo, useSignal } from '../reactive.ts';
import { route, setQuery, to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { Words } from '../text/words.tsx';
import { BatchDialog, MOST_IN_BATCH, MOST_RERUNS, RerunDialog } from './rerun.tsx';
import {
  callsAtMost,
  chosenTasks,
  classesOf,
  costOf,
  countStates,
  everyLine,
  lineOf,
  NEEDS_YOU,
  needsYou,
  reasonOf,
  SORTS,
  type SortKey,
  signedOutOf,
  taskList,
  undone,
} from './task-list.ts';

const HEADS: Record<SortKey, string> = { task_id: 'Task', state: 'State', at: 'Last', calls: 'Calls', usd: 'Cost' };

export function TasksView() {
  const states = useComputed(() => countStates(everyLine()));
  const needing = useComputed(() => everyLine().filter(needsYou).length);
  const needsFirst = useComputed(() => filter.value.needsFirst && needing.value > 0);
  const classes = useComputed(() => classesOf(everyLine()));
  const filter = useComputed(() => {
    const { query } = route.value;
    const chosen = SORTS.find((key) => key === query.get('sort'));
    const sort = chosen ?? 'at';
    return {
      needsFirst: chosen === undefined,
      text: query.get('q') ?? '',
      state: query.get('state') ?? '',
      class: query.get('class') ?? '',
      sort,
      order: (query.get('order') ?? 'descending') === 'ascending' ? ('ascending' as const) : ('descending' as const),
    };
  });
  const ids = useComputed(() => chosenTasks(everyLine(), filter.value));
  const selection = useSelection(ids);
  const all = [...states.value.values()].reduce((sum, n) => sum + n, 0);
  const isHere = taskList.value.value !== null;
  return (
    <View
      title="Tasks"
      about={
        isHere ? <Standing of={all} shown={ids.value.length} needsFirst={needsFirst.value} /> : 'All of this project.'
      }
      aside={
        <a class="button main" href={to('new')}>
          New task
        </a>
      }
    >
      <div class="bar">
        <FilterField label="Filter tasks" value={filter.value.text} onInput={(q) => setQuery({ q })} />
        <fieldset class="chips">
          <legend class="unseen">State</legend>
          <StateChip state="" name="all" n={all} chosen={filter.value.state} />
          {needing.value > 0 && (
            <StateChip state={NEEDS_YOU} name="needs you" n={needing.value} chosen={filter.value.state} />
          )}
          {[...states.value].sort(byUrgency).map(([state, n]) => (
            <StateChip key={state} state={state} name={wordOf(state)} n={n} chosen={filter.value.state} />
          ))}
        </fieldset>
        <FilterChoice
          label="Cause"
          value={filter.value.class}
          among={[['', 'all'], ...classes.value.map(classChoice)]}
          onChoose={(value) => setQuery({ class: value })}
        />
      </div>
      <Selected of={selection} />
      <Shown of={taskList} what="the list of tasks">
        {() => (
          <div class="panel">
            {ids.value.length === 0 ? (
              <Empty title={all === 0 ? 'No task in this project' : 'No task fits the filter'}>
                {all === 0 ? (
                  <>tollgate init writes one to fill in.</>
                ) : (
                  <button type="button" class="button" onClick={() => setQuery({ q: '', state: '', class: '' })}>
                    Show all tasks
                  </button>
                )}
              </Empty>
            ) : (
              <VirtualTable
                label="Tasks"
                keys={ids.value}
                rowHeight={40}
                columns="of-tasks"
                head={
                  <>
                    <SelectAll of={selection} />
                    {SORTS_SHOWN.map((key) => (
                      <Head
                        key={key}
                        of={key}
                        sort={needsFirst.value ? null : filter.value.sort}
                        order={filter.value.order}
                      />
                    ))}
                  </>
                }
                row={(id) => <TaskCells id={id} selection={selection} />}
                onRowKey={(key, id) => {
                  if (key === 'x') selection.toggle(id, 'one');
                  return key === 'x';
                }}
              />
            )}
            <PriceNote without={costOf(ids.value).without} />
          </div>
        )}
      </Shown>
    </View>
  );
}

const SORTS_SHOWN: readonly (SortKey | 'why')[] = ['task_id', 'state', 'why', 'calls', 'usd', 'at'];

/** What is urgent first. */
const ORDER = ['parked', 'failed', 'refused', 'interrupted', 'unreadable', 'running', 'never_run', 'done'];

const byUrgency = ([a]: [string, number], [b]: [string, number]): number => ORDER.indexOf(a) - ORDER.indexOf(b);

function Standing({ of, shown, needsFirst }: { of: number; shown: number; needsFirst: boolean }) {
  return (
    <>
      <span aria-live="polite">{shown === of ? counted(of, 'task') : `${count(shown)} of ${counted(of, 'task')}`}</span>
      {shown === of && needsFirst && ', those that need you first, then the latest'}
    </>
  );
}

function StateChip({ state, name, n, chosen }: { state: string; name: string; n: number; chosen: string }) {
  return (
    <button type="button" class="chip" aria-pressed={state === chosen} onClick={() => setQuery({ state })}>
      {name} <b>{count(n)}</b>
    </button>
  );
}

/** What can be done with the selected tasks. */
function Selected({ of: { ids, clear } }: { of: Selection }) {
  const rerun = useSignal<readonly string[] | null>(null);
  const batch = useSignal<readonly string[] | null>(null);
  const chosen = [...ids.value];
  const isTooMany = chosen.length > MOST_RERUNS;
  const isNoBatch = chosen.length > MOST_IN_BATCH;
  return (
    <>
      {chosen.length > 0 && (
        <div class="bar selected">
          <b aria-live="polite">{counted(chosen.length, 'task')} selected</b>
          <Paid out={signedOutOf(undone(chosen))} isMain={false} cost={callsAtMost(undone(chosen))}>
            {() => (
              <>
                <button type="button" class="button" disabled={isTooMany} onClick={() => (rerun.value = chosen)}>
                  Rerun selected
                </button>
                <button type="button" class="button" disabled={isNoBatch} onClick={() => (batch.value = chosen)}>
                  Run as a batch
                </button>
              </>
            )}
          </Paid>
          <CopyButton text={chosen.join('\n')} name="Copy ids" />
          <button type="button" class="button small" onClick={clear}>
            Clear the selection
          </button>
          {isTooMany && (
            <span class="dim">
              At most {isNoBatch ? `${MOST_IN_BATCH} tasks run as a batch` : `${MOST_RERUNS} tasks are rerun at once`}.
            </span>
          )}
        </div>
      )}
      {/* Remains when the started tasks no longer fit the filter. */}
      {rerun.value && <RerunDialog ids={rerun.value} onClose={() => (rerun.value = null)} />}
      {batch.value && <BatchDialog ids={batch.value} onClose={() => (batch.value = null)} />}
    </>
  );
}

function SelectAll({ of: { ids, isAll, all } }: { of: Selection }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    // biome-ignore lint/a11y/useFocusableInteractive: its box has the focus
    <div role="columnheader" class="select">
      <input
        type="checkbox"
        aria-label="Select all shown tasks"
        checked={isAll.value}
        indeterminate={!isAll.value && ids.value.size > 0}
        onChange={all}
      />
    </div>
  );
}

function Head({ of, sort, order }: { of: SortKey | 'why'; sort: SortKey | null; order: 'ascending' | 'descending' }) {
  if (of === 'why')
    return (
      // biome-ignore lint/a11y/useSemanticElements: see the table
      // biome-ignore lint/a11y/useFocusableInteractive: the heading is only read
      <div role="columnheader" class="why">
        Why
      </div>
    );
  const turned = order === 'ascending' ? 'descending' : 'ascending';
  const next = of === sort ? turned : of === 'task_id' || of === 'state' ? 'ascending' : 'descending';
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    // biome-ignore lint/a11y/useFocusableInteractive: its button has the focus
    <div role="columnheader" class={of} {...(of === sort ? { 'aria-sort': order } : {})}>
      <button type="button" onClick={() => setQuery({ sort: of, order: next })}>
        {HEADS[of]}
      </button>
    </div>
  );
}

/** Reads only the signal of its task. */
function TaskCells({ id, selection }: { id: string; selection: Selection }) {
  const line = lineOf(id)?.value;
  if (line === undefined) return <Cell as="task_id">{id} is gone</Cell>;
  return (
    <>
      <Cell as="select">
        <input
          type="checkbox"
          aria-label={`Select ${id}`}
          checked={selection.ids.value.has(id)}
          onClick={(event) => selection.toggle(id, event.shiftKey ? 'range' : 'one')}
        />
      </Cell>
      <Cell as="task_id cut">
        <a href={to('tasks', id)}>
          <Words of={id} />
        </a>
        {line.goal && (
          <span class="goal dim cut">
            <Words of={line.goal} />
          </span>
        )}
      </Cell>
      <Cell as="state">
        <StateMark state={line.state} />
      </Cell>
      <Cell as="why cut soft">
        <WhyOf line={line} />
      </Cell>
      <Cell as="calls number">
        {count(line.calls.used)}
        <span class="dim"> / {line.calls.budget ?? '–'}</span>
      </Cell>
      <Cell as="usd number cut">
        <Cost usd={line.usd} without={line.calls_without_price} as="cell" />
      </Cell>
      <Cell as="at number dim">
        <Ago at={line.at} />
      </Cell>
    </>
  );
}

function WhyOf({ line }: { line: TaskLine }) {
  const { stage, class: errorClass } = line;
  const why = reasonOf(line);
  return (
    <span title={errorClass === null ? why : `${why} (${stage ?? 'the start'}: ${errorClass})`}>
      <Words of={why} />
      {route.value.query.get('state') === NEEDS_YOU && <ToDo of={line} />}
    </span>
  );
}

/** Only where the user looks for what to do: elsewhere a row has one line. */
function ToDo({ of: { task_id: id, to_do: what, state, at } }: { of: TaskLine }) {
  const text = state === 'parked' ? 'answer it' : state === 'interrupted' ? 'continue it' : what;
  if (text === null) return null;
  const action = { text, pays: false, changes: null };
  const earliest = earliestOf(action, at);
  const out = signedOutOf([id]);
  return (
    <span class="to-do" title={text}>
      {earliest === null ? (
        <Advice of={action} failedAt={at} />
      ) : (
        <>
          {out.length > 0 && `${signInFirst(out)}. `}
          <From verb="Rerun" at={earliest} />.
        </>
      )}
    </span>
  );
}

interface Selection {
  /** Only tasks that are shown. */
  ids: ReadonlySignal<ReadonlySet<string>>;
  isAll: ReadonlySignal<boolean>;
  /** @param how `range` extends from the task that was changed last. */
  toggle: (id: string, how: 'one' | 'range') => void;
  /** Selects all that are shown, or none if all are. */
  all: () => void;
  clear: () => void;
}

/** @param shown in the order of the list. */
function useSelection(shown: ReadonlySignal<readonly string[]>): Selection {
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const last = useSignal<string | null>(null);
  const ids = useComputed(() =>
    chosen.value.size === 0 ? chosen.value : new Set(shown.value.filter((id) => chosen.value.has(id))),
  );
  const isAll = useComputed(() => ids.value.size > 0 && ids.value.size === shown.value.length);
  return useMemo(
    () => ({
      ids,
      isAll,
      toggle(id, how) {
        const isAdded = !ids.peek().has(id);
        const range = how === 'range' ? between(shown.peek(), last.peek(), id) : [id];
        const next = new Set(ids.peek());
        for (const each of range)
          if (isAdded) next.add(each);
          else next.delete(each);
        chosen.value = next;
        last.value = id;
      },
      all() {
        chosen.value = new Set(isAll.peek() ? [] : shown.peek());
      },
      clear() {
        chosen.value = new Set();
      },
    }),
    [],
  );
}

function between(all: readonly string[], from: string | null, to: string): readonly string[] {
  const ends = [from === null ? -1 : all.indexOf(from), all.indexOf(to)].sort((a, b) => a - b);
  return ends[0]! < 0 ? [to] : all.slice(ends[0], ends[1]! + 1);
}
