// Lists the batches, and shows one: what failed and what to do, then its tasks with their state in it and now.

import type { BatchShown } from '../../contract/overviews.ts';
import type { Resources, ResourcesOf } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { partOf } from '../live/requests.ts';
import { ActionList, CopyButton } from '../parts/actions.tsx';
import { count, counted, lasting, money } from '../parts/figures.ts';
import { Mark, StateMark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { Table } from '../parts/table.tsx';
import { Dated } from '../parts/times.tsx';
import { useSignal } from '../reactive.ts';
import { to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { MOST_RERUNS, RerunDialog } from '../tasks/rerun.tsx';
import { lineOf } from '../tasks/task-list.ts';
import { Words } from '../text/words.tsx';

const EXAMPLE = 'tollgate batch TASK…';

const concerns = (topic: string) => topic === '*' || topic === 'batch';

export function BatchesView() {
  const all = useFollowing<Resources['/api/batch']>('/api/batch', concerns);
  return (
    <View title="Batches" about="Many tasks in one run. A batch is shown when it has ended; Now shows what still runs.">
      <Panel title="Ended batches" edge="flush" aside={<CopyButton text={EXAMPLE} name="Copy the command" />}>
        <Shown of={all} what="the batches">
          {({ batches }) =>
            batches.length === 0 ? (
              <Empty title="No batch yet">
                <span>
                  Begin one in a terminal: <code>{EXAMPLE}</code>
                </span>
              </Empty>
            ) : (
              <Table label="Batches" heads={LIST_HEADS}>
                {batches.map(({ batch_id: id, at, state, totals }) => (
                  <tr key={id}>
                    <th scope="row">
                      <a href={to('batch', id)}>{at === null ? <Words of={id} /> : <Dated at={at} />}</a>
                    </th>
                    <td>
                      <StateMark state={state} />
                    </td>
                    <td class="number">
                      {count(totals.done)} of {count(totals.tasks)}
                    </td>
                    <td class="number">{count(totals.calls)}</td>
                    <td class="number">{lasting(totals.duration_ms)}</td>
                  </tr>
                ))}
              </Table>
            )
          }
        </Shown>
      </Panel>
    </View>
  );
}

const LIST_HEADS = ['Begun', 'State', { number: 'Done' }, { number: 'Paid calls' }, { number: 'Time' }] as const;

export function BatchView({ id }: { id: string }) {
  const batch = useFollowing<ResourcesOf['batch']>(`/api/batch/${partOf(id)}`, concerns);
  const shown = batch.value.value;
  return (
    <View
      crumbs={<a href={to('batch')}>Batches</a>}
      title={shown?.at ? <Dated at={shown.at} /> : <Words of={id} />}
      about={<Words of={id} />}
      aside={shown && <Standing of={shown} />}
    >
      <Shown of={batch} what="the batch">
        {(of) => <Sheet of={of} />}
      </Shown>
    </View>
  );
}

function Standing({ of: { state, totals, tasks } }: { of: BatchShown }) {
  const lines = tasks.flatMap(({ task_id: id }) => lineOf(id)?.value ?? []);
  const priced = lines.flatMap(({ usd }) => usd ?? []);
  const without = lines.reduce((sum, line) => sum + line.calls_without_price, 0);
  const usd = priced.length === 0 ? null : priced.reduce((sum, each) => sum + each, 0);
  return (
    <>
      <StateMark state={state} />
      <span class="dim">
        {count(totals.done)} of {counted(totals.tasks, 'task')} done, {counted(totals.calls, 'paid call')},{' '}
        {lasting(totals.duration_ms)}; these tasks cost {money(usd, without)} in all
      </span>
    </>
  );
}

function Sheet({ of }: { of: BatchShown }) {
  const rerunning = useSignal<readonly string[] | null>(null);
  const open = of.tasks.flatMap(({ task_id: id, state }) => (state !== 'done' && !isDone(id) ? [id] : []));
  return (
    <>
      {of.failures.map((failure, nth) => (
        <FailureOf
          key={`${failure.sentence} ${failure.task_ids[0]}`}
          of={failure}
          isFirst={nth === 0}
          onRerun={(ids) => (rerunning.value = ids)}
        />
      ))}
      {of.notes.map((note) => (
        <p key={note} class="notice">
          <Words of={note} />
        </p>
      ))}
      {open.length > 0 && of.next_actions.length > 0 && (
        <Panel title="Next, for all that is not done">
          <ActionList of={of.next_actions} />
        </Panel>
      )}
      <Panel title="Tasks" edge="flush">
        <Table label="Tasks of the batch" heads={TASK_HEADS}>
          {of.tasks.map((task) => (
            <Row key={task.task_id} of={task} />
          ))}
        </Table>
      </Panel>
      {rerunning.value !== null && <RerunDialog ids={rerunning.value} onClose={() => (rerunning.value = null)} />}
    </>
  );
}

const isDone = (id: string): boolean => lineOf(id)?.value.state === 'done';

interface FailureProps {
  of: BatchShown['failures'][number];
  isFirst: boolean;
  onRerun: (ids: readonly string[]) => void;
}

function FailureOf({ of, isFirst, onRerun }: FailureProps) {
  const { sentence, class: errorClass, reason, count: n, task_ids: ids } = of;
  const open = ids.filter((id) => !isDone(id)).slice(0, MOST_RERUNS);
  return (
    <section class="panel failure" aria-label={sentence}>
      <div class="failure-head">
        <p class="sentence">
          <Words of={sentence} />
        </p>
        {open.length > 0 && (
          <button type="button" class={`button small ${isFirst ? 'main' : ''}`} onClick={() => onRerun(open)}>
            {open.length === 1 ? 'Rerun' : `Rerun these ${count(open.length)}`}
            <span class="unseen"> of {open[0]}</span>
          </button>
        )}
      </div>
      <p class="dim">
        {counted(n, 'task')}
        {errorClass !== null && <Words of={`: ${errorClass} (${reason ?? 'no reason'})`} />}
      </p>
      <ul class="chips">
        {ids.map((id) => (
          <li key={id}>
            <a class="chip" href={to('tasks', id)}>
              <Words of={id} />
            </a>
          </li>
        ))}
        {n > ids.length && <li class="dim">and {count(n - ids.length)} more</li>}
      </ul>
    </section>
  );
}

const TASK_HEADS = ['Task', 'In the batch', 'Now', 'What happened', { number: 'Paid calls' }] as const;

function Row({ of }: { of: BatchShown['tasks'][number] }) {
  const { task_id: id, state, stage, class: errorClass, reason, calls, message } = of;
  const now = lineOf(id)?.value.state;
  const what = errorClass === null ? message : `${stage ?? 'the start'}: ${errorClass} (${reason ?? 'no reason'})`;
  return (
    <tr>
      <th scope="row">
        <a href={to('tasks', id)}>
          <Words of={id} />
        </a>
      </th>
      <td>
        <StateMark state={state} />
      </td>
      <td>
        {now === undefined ? <Mark tone="calm" word="not in this project" icon="none" /> : <StateMark state={now} />}
      </td>
      <td class="wide">{what !== null && <Words of={what.slice(0, 400)} />}</td>
      <td class="number">{count(calls)}</td>
    </tr>
  );
}
