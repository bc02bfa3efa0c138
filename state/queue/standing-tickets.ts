// All tickets of all queues in a folder, as they stand there: for whoever looks and does not join.

import { namesIn } from '../disk/folder.ts';
import { UnfitFileError } from '../disk/regular-file.ts';
import type { Ticket } from './ticket.ts';
import { openTicketFile } from './ticket-file.ts';

/** Of each queue by its name the tickets, oldest first; whether their owners still live nobody has looked at. */
export function standingTickets(folder: string): Map<string, Ticket[]> {
  const queues = new Map<string, Ticket[]>();
  for (const { name, n } of filesIn(folder)) {
    queues.set(name, [...(queues.get(name) ?? []), ...ticketsIn(folder, name, n)]);
  }
  return queues;
}

/** None stands in what is no queue: whoever joins it next sets it aside. */
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
