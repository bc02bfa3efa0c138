// The page of tollgate console, from its one script.

import { render } from './reactive.ts';
import { Frame } from './shell/frame.tsx';
import { followKeys } from './shell/keys.tsx';
import { followAddress } from './shell/route.ts';

const at = document.querySelector('#page')!;
at.replaceChildren();
followAddress();
followKeys();
render(<Frame />, at);
