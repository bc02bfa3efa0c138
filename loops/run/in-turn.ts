// A stage's work while it is its turn on the tree: the call, the look at what it changed, and its gate.

import type { RunRequest } from './run.ts';
import type { StageRun } from './stage.ts';
import { takeTurn } from './turn.ts';

/** The turn ends with the work, however that ends. */
export async function inTurn<T>(
  { open, stage, access, stop, say, clock }: StageRun,
  whenTaken: RunRequest['whenTaken'],
  work: () => Promise<T>,
): Promise<{ how: 'worked'; result: T } | { how: 'stopped' }> {
  const turn = await takeTurn({
    stateFolder: open.stateFolder,
    tree: open.tree,
    mode: access === 'read' ? 'read' : 'write',
    taskId: open.task.id,
    taskFolder: open.task.root,
    stage: stage.name,
    foreign: whenTaken === 'force' ? 'pass' : 'wait',
    stop,
    say,
    clock,
  });
  if (turn.how === 'stopped') return turn;
  try {
    return { how: 'worked', result: await work() };
  } finally {
    turn.leave();
  }
}
