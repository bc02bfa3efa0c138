// Finds the full id of a session that a task names by its prefix, so that all its users wait in the same queue.

import type { Tool } from '../../policies/facts/tools.ts';
import { WHOLE_ID } from '../../policies/session/session-entry.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import type { Lookup } from '../../wrappers/sessions/store.ts';
import { quietly } from './own-files.ts';

type WholeId = { how: 'whole'; id: string } | { how: 'invalid'; message: string };

/** Searches the sessions that these tools would resume from here. */
export async function wholeId(word: string, tools: readonly Tool[], lookup: Lookup): Promise<WholeId> {
  const prefix = word.toLowerCase();
  if (WHOLE_ID.test(word)) return { how: 'whole', id: prefix };
  const found = new Map<string, Tool>();
  for (const tool of new Set(tools)) {
    const store = await adapterOf(tool).sessions();
    for (const { id } of (await quietly(() => store.recent(lookup, new Date(0)))) ?? [])
      if (id.toLowerCase().startsWith(prefix)) found.set(id, tool);
  }
  const [first, ...others] = [...found];
  if (first === undefined)
    return {
      how: 'invalid',
      message: `no session of ${[...new Set(tools)].join(', ')} begins with ${word} here; give its whole id`,
    };
  if (others.length === 0) return { how: 'whole', id: first[0] };
  const rows = [first, ...others].slice(0, LISTED).map(([id, tool]) => `${tool} ${id}`);
  return {
    how: 'invalid',
    message: `${word} is the beginning of ${found.size} sessions (${rows.join(', ')}); give the whole id`,
  };
}

const LISTED = 5;
