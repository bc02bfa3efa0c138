// Which backups of a conversation are kept: enough to bring back what anybody will ask for, and not a disk full of them.

import type { KnownEdit } from './session-edits.ts';
import { takenBack } from './taken-back.ts';

/** Of those that take something back, and of the others, which nobody will ask for; and for how long. */
export const KEPT_BACKUPS = { standing: 20, others: 3, bytes: 2 * 1024 ** 3, days: 90, unaskedDays: 180 } as const;

/** Made before it, a backup is too old: it holds the secrets of its conversation as they came. */
export const oldestKept = (now: Date): Date => new Date(now.getTime() - KEPT_BACKUPS.days * 86_400_000);

/** Who looks older than this is left for a sweep that is asked for: a clock that once stands a year ahead makes all look so. */
export const isForSweep = (at: Date, now: Date): boolean =>
  at.getTime() < now.getTime() - KEPT_BACKUPS.unaskedDays * 86_400_000;

export const agedBackups = (edits: readonly KnownEdit[], now: Date): KnownEdit[] =>
  edits.filter(({ isKept, at }) => isKept && Date.parse(at) < oldestKept(now).getTime());

/** Those to be deleted: all that are too old (but not what only a sweep deletes), and of the others never the newest. @param edits in their order */
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
