// The first command of what is to be done next where a gate did not pass, executed as it is printed.

import { testNextCommands } from '../rig/next-commands.ts';

testNextCommands('next commands of gates', (name) => /^(?:contract|scope)/.test(name));
