// Lists the batches, the newest first, each with its causes.

import type { Resources } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { count } from '../parts/figures.ts';
import { StateMark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { Table } from '../parts/table.tsx';
import { Ago } from '../parts/times.tsx';
import { to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { lineOf } from '../tasks/task-list.ts';
import { Words } from '../text/words.tsx';
import { type BatchHead, concerns, doneOf, isDone, Lasted, MOST_WHY, nameOf } from './batch-view.tsx';

export function BatchesView() {
  const all = useFollowing<Resources['/api/batch']>('/api/batch', concerns);
  return (
    <View
      title="Batches"
      about="Many tasks in one run, with one report. What failed is rerun here."
      aside={
        <a class="button main" href={to('tasks')}>
          New batch
        </a>
      }
    >
      <Panel title="All batches" edge="flush">
        <Shown of={all} what="the batches">
          {({ batches }) =>
            batches.length === 0 ? (
              <Empty title="No batch yet">Select tasks in Tasks, and run them as a batch.</Empty>
            ) : (
              <Table label="Batches" heads={LIST_HEADS}>
                {batches.map((batch) => (
                  <BatchRow key={batch.batch_id} of={batch} />
                ))}
              </Table>
            )
          }
        </Shown>
      </Panel>
    </View>
  );
}

const LIST_HEADS = [
  'Tasks',
  'Begun',
  'State',
  'Why',
  { number: 'Done' },
  { number: 'Paid calls' },
  { number: 'Time' },
] as const;

function BatchRow({ of }: { of: BatchHead }) {
  const { batch_id: id, at, state, causes, totals, task_ids: ids } = of;
  const open = state === 'running' ? [] : ids.filter((task) => lineOf(task) !== undefined && !isDone(task));
  return (
    <tr>
      <th scope="row">
        <a href={to('batch', id)}>
          <Words of={nameOf(of)} />
        </a>
      </th>
      <td>{at === null ? '–' : <Ago at={at} />}</td>
      <td>
        <StateMark state={state} />
      </td>
      <td class="wide soft">
        {causes.length > 0 && <Words of={causesWords(causes).slice(0, MOST_WHY)} />}
        {open.length > 0 && (
          <p>
            <a href={to('batch', id)}>See how to rerun {count(open.length)}</a>
          </p>
        )}
      </td>
      <td class="number">
        {count(doneOf(of))} of {count(totals?.tasks ?? ids.length)}
      </td>
      <td class="number">{totals === null ? '–' : count(totals.calls)}</td>
      <td class="number">
        <Lasted of={of} />
      </td>
    </tr>
  );
}

const causesWords = (of: readonly string[]): string =>
  of.length === 1 ? of[0]! : `${count(of.length)} causes: ${of.join(' ')}`;
