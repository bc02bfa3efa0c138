// Turns on a working tree: a write stage has it for itself, since only then its changes can be told from others'; read stages share it.

import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { queueFolder } from '../../state/queue/tickets.ts';
import { type QueueTurn, type Standby, standInLine } from './line.ts';

export interface TurnRequest extends Omit<Standby, 'line' | 'whileWaiting'> {
  /** The project's `.tmp`. */
  stateFolder: string;
  /** The folder that is written to, or looked at. */
  tree: string;
  say(sentence: string): void;
}

/** Waits for the turn in the order of asking. Throws what the operating system throws when the queue cannot be written. */
export const takeTurn = ({ stateFolder, tree, say, ...request }: TurnRequest): Promise<QueueTurn> =>
  standInLine({
    ...request,
    say,
    line: { folder: queueFolder(stateFolder), name: nameOf(tree) },
    whileWaiting: ({ who, ticket: { mode } }) =>
      say(
        `stage ${request.stage} waits for its turn on ${tree}: ${who} ${mode === 'write' ? 'writes' : 'reads'} there`,
      ),
  });

const nameOf = (tree: string): string => createHash('sha256').update(realOr(tree)).digest('hex').slice(0, 16);

/** A folder that is not there is found missing by whoever uses it. */
function realOr(tree: string): string {
  try {
    return realpathSync.native(tree);
  } catch {
    return tree;
  }
}
