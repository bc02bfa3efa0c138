// Locks a working tree: a stage that writes has it alone, so that its changes can be identified; stages that read share it.

import { createHash } from 'node:crypto';
import { realOr } from '../../state/disk/real-folder.ts';
import { queueFolder } from '../../state/queue/tickets.ts';
import { acquireTicket, type QueueTurn, type TicketRequest } from './acquire-ticket.ts';

interface TreeLockRequest extends Omit<TicketRequest, 'line' | 'whileWaiting'> {
  /** The project's `.tmp`. */
  stateFolder: string;
  /** The folder that is written or read. */
  tree: string;
  say(sentence: string): void;
}

/** Waits for the turn in the order of the requests. Throws the errors of the operating system if the queue cannot be written. */
export const lockTree = ({ stateFolder, tree, say, ...request }: TreeLockRequest): Promise<QueueTurn> =>
  acquireTicket({
    ...request,
    say,
    line: { folder: queueFolder(stateFolder), name: nameOf(tree) },
    whileWaiting: ({ who, ticket: { mode } }) =>
      say(`stage ${request.stage} waits for ${who}, which ${mode === 'write' ? 'writes' : 'reads'} in ${tree}`),
  });

const nameOf = (tree: string): string => createHash('sha256').update(realOr(tree)).digest('hex').slice(0, 16);
