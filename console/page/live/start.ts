// What the page does first: it learns whose tasks it shows, and follows what changes.

import type { TasksChange } from '../../contract/page.ts';
import type { Resources } from '../../contract/resources.ts';
import { changeLines, replaceLines } from '../tasks/task-store.ts';
import { keepToken, read } from './ask.ts';
import { linkState, place } from './link.ts';
import { onChange, openStream } from './stream.ts';

export async function startPage(): Promise<void> {
  followTasks();
  openStream();
  const answered = await read<Resources['/api/page']>('/api/page');
  if (answered.how === 'failed') {
    linkState.value = { how: 'gone', what: answered.problem.what, wayOut: answered.problem.wayOut ?? '' };
  } else {
    keepToken(answered.value.token);
    place.value = answered.value.folder;
  }
}

function followTasks(): void {
  /** What was told while the newest answer is on its way, which may have been made before it. */
  let since: TasksChange[] | null = null;
  const renew = async () => {
    const told: TasksChange[] = [];
    since = told;
    const answered = await read<Resources['/api/tasks']>('/api/tasks');
    // Of one that was asked for later nothing is missing, whichever comes first.
    if (since !== told) return;
    since = null;
    if (answered.how !== 'ok') return;
    replaceLines(answered.value.tasks);
    for (const { lines, gone } of told) changeLines(lines, gone);
  };
  // Asked for once the stream is open, which says `*`: asked for before, what changed in between would be missed.
  onChange((topic, _id, change) => {
    if (topic === '*') void renew();
    if (topic !== 'tasks') return;
    if (change === null) return void renew();
    since?.push(change);
    changeLines(change.lines, change.gone);
  });
}
