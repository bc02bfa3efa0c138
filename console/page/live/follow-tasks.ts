// The list of all tasks, followed for as long as the page is open: the whole of it once, then the rows that changed.

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
/** What was told while the newest answer is on its way, which may have been made before it. */
let since: TasksChange[] | null = null;

/** How many there were when all of them came the last time; the rows are in the store. */
export const taskList: Following<number> = { value, problem, againAt, renew: () => void renew() };

const again = againBy(() => void renew(), againAt);

async function renew(): Promise<void> {
  const told: TasksChange[] = [];
  since = told;
  const answered = await read<Resources['/api/tasks']>('/api/tasks');
  // Of one that was asked for later nothing is missing, whichever comes first.
  if (since !== told) return;
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
  for (const { lines, gone } of told) changeLines(lines, gone);
  value.value = answered.value.tasks.length;
}

export function followTasks(): void {
  // Asked for once the stream is open, which says `*`: asked for before, what changed in between would be missed.
  onChange((topic, _id, change) => {
    if (topic === '*') void renew();
    if (topic !== 'tasks') return;
    if (change === null) return void renew();
    since?.push(change);
    changeLines(change.lines, change.gone);
  });
}
