// Decides which backups of a conversation are kept: enough for any likely redo, without filling the disk.

import type { KnownEdit } from './session-edits.ts';
import { takenBack } from './taken-back.ts';

/** How many backups are kept of edits that can still be brought back (`standing`) and of the `others`, and for how long. */
export const KEPT_BACKUPS = { standing: 20, others: 3, bytes: 2 * 1024 ** 3, days: 90, unaskedDays: 180 } as const;

/** A backup made before this time is too old. It holds the secrets of its conversation unredacted. */
export const oldestKept = (now: Date): Date => new Date(now.getTime() - KEPT_BACKUPS.days * 86_400_000);

/**
 * A backup that seems older than this is deleted only by a requested sweep. A clock that is once set a year ahead makes all
 * backups seem old.
 */
export const isForSweep = (at: Date, now: Date): boolean =>
  at.getTime() < now.getTime() - KEPT_BACKUPS.unaskedDays * 86_400_000;

export const agedBackups = (edits: readonly KnownEdit[], now: Date): KnownEdit[] =>
  edits.filter(({ isKept, at }) => isKept && Date.parse(at) < oldestKept(now).getTime());

/**
 * Returns the backups to delete. These are all that are too old, except those that only a sweep deletes, and surplus ones among
 * the rest. The newest of the rest is always kept.
 * @param edits in their order
 */
export function oldBackups(edits: readonly KnownEdit[], now: Date): KnownEdit[] {
  const standing = new Set(takenBack(edits, null).map(({ edit }) => edit));
  const aged = new Set(agedBackups(edits, now).filter(({ at }) => !isForSweep(new Date(at), now)));
  const there = edits.filter((edit) => edit.isKept && !aged.has(edit));
  const kept = new Set([
    ...there.filter((edit) => standing.has(edit)).slice(-KEPT_BACKUPS.standing),
    ...there.filter((edit) => !standing.has(edit)).slice(-KEPT_BACKUPS.others),
  ]);
  let room: number = KEPT_BACKUPS.bytes;
  for (const edit of [...kept].sort((a, b) => b.n - a.n)) {
    room -= edit.before.bytes;
    if (room < 0 && edit !== there.at(-1)) kept.delete(edit);
  }
  return edits.filter((edit) => edit.isKept && !kept.has(edit));
}
