// Which backups of a conversation are kept: enough to bring back what anybody will ask for, and not a disk full of them.

import type { KnownEdit } from './session-edits.ts';
import { takenBack } from './taken-back.ts';

/** Of those that take something back, and of the others, which nobody will ask for. */
export const KEPT_BACKUPS = { standing: 20, others: 3, bytes: 2 * 1024 ** 3 } as const;

/** Those to be deleted, of which the newest never is one. @param edits in their order */
export function oldBackups(edits: readonly KnownEdit[]): KnownEdit[] {
  const standing = new Set(takenBack(edits, null).map(({ edit }) => edit));
  const there = edits.filter(({ isKept }) => isKept);
  const kept = new Set([
    ...there.filter((edit) => standing.has(edit)).slice(-KEPT_BACKUPS.standing),
    ...there.filter((edit) => !standing.has(edit)).slice(-KEPT_BACKUPS.others),
  ]);
  let room: number = KEPT_BACKUPS.bytes;
  for (const edit of [...kept].sort((a, b) => b.n - a.n)) {
    room -= edit.before.bytes;
    if (room < 0 && edit !== there.at(-1)) kept.delete(edit);
  }
  return there.filter((edit) => !kept.has(edit));
}
