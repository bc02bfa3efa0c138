// Whose marker or open file counts: neither is believed alone, since a stranger may have set the one or opened the other.

import type { ProcessRow } from './rows.ts';
import type { Signs, Tree } from './tree-types.ts';

/** Those whose sign is believed: of our user (for the superuser: of any) and PID namespace, not older than the call, and without a parent of their own. */
export function provenMembers(signs: Signs, tree: Tree): Set<number> {
  const { rows, markers, holders, owners, uid, since, above } = signs;
  // What the superuser starts may become any user: `su`, `setpriv`. A stranger that forges the marker harms only itself.
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
 * Left by a parent that is gone: it hangs from the first process, from one that we live under, or from one that itself
 * hangs from the first, as a user's own service manager does. One that a living stranger started is the stranger's;
 * one that a member started is found as its child. In a session that we live under it is what a person started beside us.
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

/** Start times are ticks on Linux, and times of day in UTC to the second on macOS: there a whole second counts as the same. */
export function isOlder(startTime: string, since: string | null): boolean {
  return since !== null && numberOf(startTime) < numberOf(since);
}

const numberOf = (startTime: string) => (/^\d+$/.test(startTime) ? Number(startTime) : Date.parse(`${startTime} UTC`));

export const bears = (marker: string | undefined, ours: string): boolean =>
  marker === ours || marker?.startsWith(`${ours}/`) === true;
