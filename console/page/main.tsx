// Starts the page of `tollgate console`; this is the entry point of its only script.

import type { Resources } from '../contract/resources.ts';
import { keepToken, read } from './live/requests.ts';
import { hasFleet, linkState, openStream, place } from './live/stream.ts';
import { jumps, startClock } from './parts/times.tsx';
import { render } from './reactive.ts';
import { Frame } from './shell/frame.tsx';
import { followKeys } from './shell/keys.tsx';
import { followNews } from './shell/notify.tsx';
import { followAddress } from './shell/route.ts';
import { followTasks } from './tasks/task-list.ts';

const at = document.querySelector('#page')!;
at.replaceChildren();
followAddress();
followKeys();
startClock();
void startPage();
render(<Frame />, at);

/** Learns whose tasks it shows, and follows the changes. */
async function startPage(): Promise<void> {
  followTasks();
  followNews();
  // The first time at once, then whenever the page wakes: an interruption during its sleep is not always reported.
  jumps.subscribe(openStream);
  const answered = await read<Resources['/api/page']>('/api/page');
  if (answered.how === 'failed') {
    linkState.value = { how: 'gone', what: answered.problem.what, wayOut: answered.problem.wayOut };
  } else {
    keepToken(answered.value.token);
    place.value = answered.value.folder;
    hasFleet.value = answered.value.fleet;
  }
}
