// Takes a turn on a tree as a separate process: `node turn-taker.ts STATE TREE MODE NAME`.

// It prints "taken", releases the turn when stdin ends, and prints "left".

import { lockTree } from '../../loops/limits/tree-lock.ts';

const [stateFolder, tree, mode, name] = process.argv.slice(2) as [string, string, 'read' | 'write', string];
const turn = await lockTree({
  stateFolder,
  tree,
  mode,
  taskId: name,
  stage: `${name}_stage`,
  stop: new AbortController().signal,
  say: (sentence) => process.stdout.write(`${sentence}\n`),
  clock: () => new Date(),
});
process.stdout.write(`${turn.how}\n`);
for await (const _ of process.stdin);
if (turn.how === 'taken') turn.release();
process.stdout.write('left\n');
