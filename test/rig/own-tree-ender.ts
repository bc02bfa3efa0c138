// Ends a process tree that may contain itself, by a call's marker; prints how many ended. The root is its parent, or absent.

import { endTree } from '../../wrappers/processes/end-tree.ts';
import { identify } from '../../wrappers/processes/identity.ts';

const [root, marker = ''] = process.argv.slice(2);
const pid = process.ppid;
const parent = { pid, startTime: (await identify(pid))!.start_time, sinceMs: 0, ours: 'child' } as const;
const { ended } = await endTree({ root: root === 'parent' ? parent : null, marker });
console.log(ended, 'ended');
