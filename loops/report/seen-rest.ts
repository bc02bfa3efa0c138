// Whether a task rests by its journal alone, without anything else of a report: what one thread after another can do.

import type { LookedAtBytes } from '../../state/disk/regular-file.ts';
import { journalOf, seeJournal } from '../../state/journal/journal.ts';
import { restIn } from '../../state/journal/rest.ts';
import { checkTaskRoot } from '../../state/task-folder.ts';

/** What lies in a journal, null where there is none; or else why not is still to be found out. */
export type Seen = LookedAtBytes | null | 'unread';

/** `rest` is its last release where it rests; null where only its fold can tell. */
type SeenRest = { rest: NonNullable<ReturnType<typeof restIn>>; seen: LookedAtBytes } | { rest: null; seen: Seen };

/** @param room for its bytes: then they are good until the next task is looked at. */
export function seeRest(folder: string, room?: Buffer): SeenRest {
  if (checkTaskRoot(folder, JOURNAL_PARTS) !== null) return { rest: null, seen: 'unread' };
  const file = journalOf(folder);
  try {
    const seen = seeJournal(file, room);
    const rest = seen === null ? null : restIn(seen.bytes, file);
    return seen === null || rest === null ? { rest: null, seen } : { rest, seen };
  } catch {
    return { rest: null, seen: 'unread' };
  }
}

/** What leads to it. */
export const JOURNAL_PARTS = ['state'];
