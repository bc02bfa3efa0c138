// All tickets of all queues in a folder, as they stand there: for whoever looks and does not join.

import { readdirSync } from 'node:fs';
import { openTicketFile } from './ticket-file.ts';
import type { Ticket } from './tickets.ts';

/** Of each queue by its name the tickets, oldest first; whether their owners still live nobody has looked at. */
export function standingTickets(folder: string): Map<string, Ticket[]> {
  const queues = new Map<string, Ticket[]>();
  for (const { name, n } of filesIn(folder)) {
    const file = openTicketFile(folder, name, n);
    file.read();
    queues.set(name, [...(queues.get(name) ?? []), ...file.tickets.values()]);
  }
  return queues;
}

function filesIn(folder: string): { name: string; n: number }[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return names
    .flatMap((file) => {
      const [, name, n] = /^(.+)\.(\d{1,15})\.jsonl$/.exec(file) ?? [];
      return name === undefined ? [] : [{ name, n: Number(n) }];
    })
    .sort((a, b) => a.n - b.n);
}
