// What the page does first: it learns whose tasks it shows, and follows what changes.

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
  const renew = async () => {
    const answered = await read<Resources['/api/tasks']>('/api/tasks');
    if (answered.how === 'ok') replaceLines(answered.value.tasks);
  };
  // Asked for once the stream is open, which says `*`: asked for before, what changed in between would be missed.
  onChange((topic, _id, change) => {
    if (topic === '*') void renew();
    if (topic !== 'tasks') return;
    if (change === null) void renew();
    else changeLines(change.lines, change.gone);
  });
}
