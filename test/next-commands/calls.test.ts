// The first command of what is to be done next where a call failed or a run was stopped, executed as it is printed.

import { testNextCommands } from '../rig/next-commands.ts';

testNextCommands('next commands of calls', (name) => !/^(?:contract|scope)/.test(name));
