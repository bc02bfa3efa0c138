// Locks a working tree: a stage that writes has it alone, since only then its changes can be told from others'; stages that read share it.

import { createHash } from 'node:crypto';
import { realOr } from '../../state/disk/real-path.ts';
import { queueFolder } from '../../state/queue/tickets.ts';
import { acquireTicket, type QueueTurn, type TicketRequest } from './acquire-ticket.ts';

export interface TreeLockRequest extends Omit<TicketRequest, 'line' | 'whileWaiting'> {
  /** The project's `.tmp`. */
  stateFolder: string;
  /** The folder that is written to, or looked at. */
  tree: string;
  say(sentence: string): void;
}

/** Waits for the turn in the order of asking. Throws what the operating system throws when the queue cannot be written. */
export const lockTree = ({ stateFolder, tree, say, ...request }: TreeLockRequest): Promise<QueueTurn> =>
  acquireTicket({
    ...request,
    say,
    line: { folder: queueFolder(stateFolder), name: nameOf(tree) },
    whileWaiting: ({ who, ticket: { mode } }) =>
      say(
        `stage ${request.stage} waits for its turn on ${tree}: ${who} ${mode === 'write' ? 'writes' : 'reads'} there`,
      ),
  });

const nameOf = (tree: string): string => createHash('sha256').update(realOr(tree)).digest('hex').slice(0, 16);
