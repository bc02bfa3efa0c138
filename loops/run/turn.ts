// Turns on a working tree: a write stage has it for itself, since only then its changes can be told from others'; read stages share it.

import { createHash, randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { ProcessIdentity } from '../../policies/process-identity.ts';
import { nextChange } from '../../state/change.ts';
import { isSystemError } from '../../state/system-error.ts';
import { openQueue, type Queue, queueFolder, type Ticket } from '../../state/tickets.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { firstBlocking, type Standing } from './blocking.ts';

export interface TurnRequest {
  /** The project's `.tmp`. */
  stateFolder: string;
  /** The folder that is written to, or looked at. */
  tree: string;
  mode: 'read' | 'write';
  taskId: string;
  /** Whose calls hold the turn on when this process dies; without it they don't. */
  taskFolder?: string;
  stage: string;
  /** How long the turn may take from now on where nobody can see whether we still live: from another container. A day unless told. */
  longestMs?: number;
  /** What to do about a turn of another host or container: wait until its time is over, or pass (`--force`). */
  foreign?: 'wait' | 'pass';
  stop: AbortSignal;
  say(sentence: string): void;
  clock: () => Date;
}

export type Turn =
  /** The tree is ours to use until `leave`, or until this process ends, however it does. */
  { how: 'taken'; leave(): void } | { how: 'stopped' };

const DAY_MS = 86_400_000;
/** How often the others are looked at; a death raises no event. */
const LOOK_MS = 400;

/** Waits for the turn in the order of asking. Throws what the operating system throws when the queue cannot be written. */
export async function takeTurn(request: TurnRequest): Promise<Turn> {
  const { stop, say } = request;
  const queue = queueOf(request);
  const ticket = await ticketFor(request);
  const leave = () => leaveQuietly(queue, ticket.id);
  queue.join(ticket);
  for (let told = false; ; told = true) {
    if (stop.aborted) {
      leave();
      return { how: 'stopped' };
    }
    const blocking = await blockingIn(queue, ticket, request);
    if (blocking === null) return { how: 'taken', leave };
    if (!told) say(sentenceFor(request, blocking, ticket.owner));
    await nextChange(blocking.file, LOOK_MS, stop);
  }
}

/** The oldest turn that has to end before ours begins. */
async function blockingIn(queue: Queue, ours: Ticket, request: TurnRequest): Promise<Standing | null> {
  const earlier = queue.before(ours.id);
  if (earlier === null) {
    // Somebody deleted the file of the queue: all stand in line anew.
    queue.join(ours);
    return blockingIn(queue, ours, request);
  }
  // What is over is over for good: nobody else has to look at it.
  return firstBlocking(ours, earlier, { ...request, self: ours.owner }, (id) => leaveQuietly(queue, id));
}

async function ticketFor({ mode, taskId, taskFolder, stage, longestMs = DAY_MS, clock }: TurnRequest): Promise<Ticket> {
  return {
    id: randomUUID(),
    mode,
    owner: (await identify(process.pid))!,
    task_id: taskId,
    ...(taskFolder === undefined ? {} : { task_folder: taskFolder }),
    stage,
    until: new Date(clock().getTime() + longestMs).toISOString(),
  };
}

/** A line that cannot be written keeps the others waiting until this process ends; that is no reason to fail what was done. */
function leaveQuietly(queue: Queue, id: string): void {
  try {
    queue.leave(id);
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

function sentenceFor({ stage, tree }: TurnRequest, { ticket, living }: Standing, self: ProcessIdentity) {
  const { mode, task_id, until } = ticket;
  const owner = living[0]!;
  const away = owner.host !== self.host || owner.pid_ns !== self.pid_ns;
  const who = `pid ${owner.pid}${away ? ` on ${owner.host} or in another container, at most until ${until}` : ''}`;
  const does = mode === 'write' ? 'writes' : 'reads';
  return `stage ${stage} waits for its turn on ${tree}: task ${task_id} (${who}) ${does} there`;
}

/** What this process has read of each queue; a batch asks for hundreds of turns on one tree. */
const QUEUES = new Map<string, Queue>();

function queueOf({ stateFolder, tree, clock }: TurnRequest): Queue {
  const folder = queueFolder(stateFolder);
  const name = createHash('sha256').update(realOr(tree)).digest('hex').slice(0, 16);
  const key = `${folder}/${name}`;
  const queue = QUEUES.get(key) ?? openQueue(folder, name, clock);
  QUEUES.set(key, queue);
  return queue;
}

/** A folder that is not there is found missing by whoever uses it. */
function realOr(tree: string): string {
  try {
    return realpathSync.native(tree);
  } catch {
    return tree;
  }
}
