// Starts the page: learns whose tasks it shows, and follows the changes.

import type { Resources } from '../../contract/resources.ts';
import { keepToken, read } from './ask.ts';
import { followTasks } from './follow-tasks.ts';
import { linkState, place } from './link.ts';
import { openStream } from './stream.ts';

export async function startPage(): Promise<void> {
  followTasks();
  openStream();
  const answered = await read<Resources['/api/page']>('/api/page');
  if (answered.how === 'failed') {
    linkState.value = { how: 'gone', what: answered.problem.what, wayOut: answered.problem.wayOut };
  } else {
    keepToken(answered.value.token);
    place.value = answered.value.folder;
  }
}
