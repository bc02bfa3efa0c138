// Follows the list of all tasks while the page is open: first the whole list, then the changed rows.

import type { TasksChange } from '../../contract/page.ts';
import type { Resources } from '../../contract/resources.ts';
import { signal } from '../reactive.ts';
import { changeLines, replaceLines } from '../tasks/task-store.ts';
import { againBy } from './again.ts';
import { read, type Trouble } from './ask.ts';
import type { Following } from './follow.ts';
import { onChange } from './stream.ts';

const value = signal<number | null>(null);
const problem = signal<Trouble | null>(null);
const againAt = signal<string | null>(null);
/** The changes that arrive while the newest request is open. The server may have made the answer before them. */
let since: TasksChange[] | null = null;

/** The number of tasks when the whole list last arrived; the rows are in the store. */
export const taskList: Following<number> = { value, problem, againAt, renew: () => void renew() };

const again = againBy(() => void renew(), againAt);

async function renew(): Promise<void> {
  const changes: TasksChange[] = [];
  since = changes;
  const answered = await read<Resources['/api/tasks']>('/api/tasks');
  // A later request misses nothing, whichever answer arrives first.
  if (since !== changes) return;
  since = null;
  if (answered.how === 'failed') {
    problem.value = answered.problem;
    if (answered.problem.lasts === 'a while') again.later();
    else again.rest();
    return;
  }
  again.rest();
  problem.value = null;
  replaceLines(answered.value.tasks);
  for (const { lines, gone } of changes) changeLines(lines, gone);
  value.value = answered.value.tasks.length;
}

export function followTasks(): void {
  // The list is requested after the stream opens, which sends `*`. An earlier list would miss the changes in between.
  onChange((topic, _id, change) => {
    if (topic === '*') void renew();
    if (topic !== 'tasks') return;
    if (change === null) return void renew();
    since?.push(change);
    changeLines(change.lines, change.gone);
  });
}
