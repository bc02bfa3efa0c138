// Reads all active tickets of all queues in a folder, for callers that only look and do not join.

import { namesIn } from '../disk/folder.ts';
import { UnfitFileError } from '../disk/regular-file.ts';
import type { Ticket } from './ticket.ts';
import { openTicketFile } from './ticket-file.ts';

/** The tickets of each queue by its name, oldest first; does not check whether their owners still live. */
export function standingTickets(folder: string): Map<string, Ticket[]> {
  const queues = new Map<string, Ticket[]>();
  for (const { name, n } of filesIn(folder)) {
    queues.set(name, [...(queues.get(name) ?? []), ...ticketsIn(folder, name, n)]);
  }
  return queues;
}

/** A file that is not a queue has no tickets; the next process that joins it sets it aside. */
function ticketsIn(folder: string, name: string, n: number): Ticket[] {
  const file = openTicketFile(folder, name, n);
  try {
    file.read();
  } catch (error) {
    if (!(error instanceof UnfitFileError)) throw error;
  }
  return [...file.tickets.values()];
}

function filesIn(folder: string): { name: string; n: number }[] {
  return namesIn(folder)
    .flatMap((file) => {
      const [, name, n] = /^(.+)\.(\d{1,9})\.jsonl$/.exec(file) ?? [];
      return name === undefined ? [] : [{ name, n: Number(n) }];
    })
    .sort((a, b) => a.n - b.n);
}
