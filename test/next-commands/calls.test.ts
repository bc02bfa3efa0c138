// The first command of what is to be done next where a call failed or a run was stopped, executed as it is printed.

import { nextCommands } from '../rig/next-commands.ts';

const test = nextCommands('next commands of calls', (name) => !/^(?:contract|scope)/.test(name));

test.run();
