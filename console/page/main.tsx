// Starts the page of `tollgate console`; this is the entry point of its only script.

import { startPage } from './live/start.ts';
import { startClock } from './parts/clock.ts';
import { render } from './reactive.ts';
import { Frame } from './shell/frame.tsx';
import { followKeys } from './shell/keys.tsx';
import { followAddress } from './shell/route.ts';

const at = document.querySelector('#page')!;
at.replaceChildren();
followAddress();
followKeys();
startClock();
void startPage();
render(<Frame />, at);
