// The first command of what is to be done next where a gate did not pass, executed as it is printed.

import { nextCommands } from '../rig/next-commands.ts';

const test = nextCommands('next commands of gates', (name) => /^(?:contract|scope)/.test(name));

test.run();
