// Takes one look at the machine for a tree's members; costly signs are read only of processes for which they could count.

import { nowMs } from '../steady-clock.ts';
import { membersOfGroup } from './cgroup.ts';
import type { ProcessRow } from './rows.ts';
import { processTable } from './table.ts';
import { membersAmong, numbersIn } from './tree.ts';
import { type Elders, type Lineage, type Members, SHORT_MS, type Tree } from './tree-types.ts';
import { bears, isLoose, isOlder } from './trust.ts';

/** All processes; all but those just found to be older than the call; or those with pids assigned since the last look. */
type Where = 'all' | 'young' | 'newest';

/** Finds all living processes of the tree. */
export async function look(tree: Tree, last: Members | null, where: Where = 'all'): Promise<Members> {
  const atMs = nowMs();
  const newest = processTable.newestNumber();
  const { root, marker, group = null, folders = [] } = tree;
  // Read before the rows: a process that joins in between is in neither, and the next look finds it.
  const grouped = new Set(group === null ? [] : membersOfGroup(group));
  const since = root && { pid: root.pid, ageMs: atMs - root.sinceMs };
  const skipped = where === 'young' && last !== null && atMs - last.elders.atMs < SHORT_MS ? last.elders : null;
  const rows =
    where === 'newest'
      ? await processTable.listFrom(last?.newest ?? newest ?? 0)
      : await processTable.list(since, skipped?.pids);
  const above = last !== null && atMs - last.above.atMs < SHORT_MS ? last.above : await lineage(rows, atMs);
  const { spared, startTime } = above;
  const oldest = tree.since ?? root?.startTime ?? (root?.ours === 'child' ? startTime : null);
  const young = rows.filter((row) => !row.zombie && !spared.has(row.pid) && !isOlder(row.startTime, oldest));
  const markers = await processTable.markers(young);
  const known = await withParents(rows, young);
  const byPid = new Map(known.map((row) => [row.pid, row]));
  const loose = young.filter((row) => folders.length > 0 && isLoose(row, byPid, above));
  const holders = await processTable.holders(loose, folders);
  const owners = await processTable.owners(
    young.filter(({ pid }) => pid === root?.pid || holders.has(pid) || bears(markers.get(pid), marker)),
  );
  const uid = process.getuid?.() ?? -1;
  const from = where === 'newest' ? Number.POSITIVE_INFINITY : since === null || since.ageMs > SHORT_MS ? 0 : since.pid;
  const signs = { rows: known, markers, holders, grouped, owners, uid, since: oldest, above };
  const elders = skipped ?? eldersAmong(rows, oldest, atMs);
  return membersAmong({ ...signs, from, newest, atMs, elders }, tree, last);
}

function eldersAmong(rows: readonly ProcessRow[], oldest: string | null, atMs: number): Elders {
  const older = rows.filter((row) => isOlder(row.startTime, oldest));
  return { pids: new Set(older.map(({ pid }) => pid)), numbers: new Set(older.flatMap(numbersIn)), atMs };
}

/** A look at the new processes only may omit some of them. */
async function lineage(rows: readonly ProcessRow[], atMs: number): Promise<Lineage> {
  const spared = new Set<number>();
  const sessions = new Set<number>();
  let startTime: string | null = null;
  for (let pid = process.pid; pid > 0 && !spared.has(pid); ) {
    spared.add(pid);
    const row = rows.find((listed) => listed.pid === pid) ?? (await processTable.row(pid));
    if (row !== null && row.sid !== null) sessions.add(row.sid);
    startTime ??= row?.startTime ?? null;
    pid = row?.ppid ?? 0;
  }
  return { spared, sessions, startTime, atMs };
}

/** Looks up a parent that was not listed: its absence from the list does not mean that it is dead. */
async function withParents(rows: readonly ProcessRow[], young: readonly ProcessRow[]): Promise<ProcessRow[]> {
  const known = new Map(rows.map((row) => [row.pid, row]));
  for (const { ppid } of young) {
    if (ppid <= 1 || known.has(ppid)) continue;
    const parent = await processTable.row(ppid);
    if (parent !== null) known.set(ppid, parent);
  }
  return [...known.values()];
}
