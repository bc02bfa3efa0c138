// Ends a tree that it may live in itself, by a call's marker, and says how many processes went: its parent is the root, or nobody.

import { endTree } from '../../wrappers/processes/end-tree.ts';
import { identify } from '../../wrappers/processes/identity.ts';

const [root, marker = ''] = process.argv.slice(2);
const pid = process.ppid;
const parent = { pid, startTime: (await identify(pid))!.start_time, sinceMs: 0, ours: 'child' } as const;
const { ended } = await endTree({ root: root === 'parent' ? parent : null, marker });
console.log(ended, 'ended');
