// Decides whose marker or open file counts: neither suffices alone, since a foreign process may have set or opened it.

import type { ProcessRow } from './rows.ts';
import type { Signs, Tree } from './tree-types.ts';

/**
 * Returns the processes whose sign counts. They have our user (for the superuser: any) and our PID namespace. They are not older
 * than the call, and have no parent of their own.
 */
export function provenMembers(signs: Signs, tree: Tree): Set<number> {
  const { rows, markers, holders, owners, uid, since, above } = signs;
  // A process that the superuser starts may become any user: `su`, `setpriv`. A foreign process that forges the marker harms only
  // itself.
  const users = uid === 0 ? null : new Set([uid]);
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const vouched = new Set<number>();
  for (const row of rows) {
    if (row.zombie || row.pid <= 1 || above.spared.has(row.pid)) continue;
    if (!bears(markers.get(row.pid), tree.marker) && !holders.has(row.pid)) continue;
    const owner = owners.get(row.pid);
    if (owner?.place !== 'here' || !(users?.has(owner.uid) ?? true)) continue;
    if (!isOlder(row.startTime, since) && isLoose(row, byPid, above)) vouched.add(row.pid);
  }
  return vouched;
}

/**
 * Was the process orphaned? Its parent is then the first process, our ancestor, or a child of the first process, such as a user's
 * service manager. A process that a living foreign process started belongs to that one. One that a member started is found as its
 * child. A process in the session of our ancestors is what a user started beside us.
 */
export function isLoose(
  row: ProcessRow,
  byPid: ReadonlyMap<number, ProcessRow>,
  { spared, sessions }: Signs['above'],
): boolean {
  if (row.ppid === 0 || (row.sid !== null && sessions.has(row.sid))) return false;
  if (row.ppid === 1 || spared.has(row.ppid)) return true;
  const parent = byPid.get(row.ppid);
  return parent === undefined || parent.zombie || parent.ppid === 1;
}

/** Start times are ticks on Linux, and UTC times to the second on macOS. There, times within one second count as equal. */
export function isOlder(startTime: string, since: string | null): boolean {
  return since !== null && numberOf(startTime) < numberOf(since);
}

const numberOf = (startTime: string) => (/^\d+$/.test(startTime) ? Number(startTime) : Date.parse(`${startTime} UTC`));

export const bears = (marker: string | undefined, ours: string): boolean =>
  marker === ours || marker?.startsWith(`${ours}/`) === true;
