// Ends every process of a call: lists them, sends TERM, waits, then freezes and kills until none remains.

import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endContainer } from '../prefix.ts';
import { nowMs } from '../steady-clock.ts';
import { killGroup, membersOfGroup, removeGroup } from './cgroup.ts';
import { look } from './look.ts';
import type { ProcessRow } from './rows.ts';
import { processTable } from './table.ts';
import { type Members, SHORT_MS, type Tree } from './tree-types.ts';

export type { Tree } from './tree-types.ts';

/** How long a process may take to end after TERM. */
const GRACE_MS = 2000;

/** We cannot end a process that KILL does not end in this time: it waits in the kernel. */
const KILL_MS = 5000;

/** How long processes that keep starting others are frozen one after the other, before all frozen ones are killed. */
const FREEZE_MS = 30;

/** The kernel ends a group at once; a process that waits in the kernel remains. */
const GROUP_MS = 1000;

/** How many fruitless searches for a process that is faster than a look end the search. */
const MISSES = 40;

/** How often the whole machine is listed while the known processes may still end by themselves. */
const LIST_MS = 100;

/** When the processes older than the call are listed again. The steps after the grace period then need not do it. */
const RENEW_MS = 250;

export interface TreeEnd {
  /** How many processes other than the root were signalled and are gone. */
  ended: number;
  /** Processes that could not be ended: another user's, or stuck in the kernel. */
  survivors: ProcessRow[];
  /** A container that could not be ended, and why; absent if none is left. */
  container?: string;
}

/**
 * Stops the CLI and its group. Otherwise the CLI could request one more paid turn while its tree is looked up.
 * @param until With `signalled`, the group resumes after every process has been signalled to end, and handles that signal first.
 * @returns the tree, which the caller ends.
 */
export async function hold(tree: Tree, until: 'signalled' | 'ended'): Promise<Tree> {
  const { root } = tree;
  if (root === null) return tree;
  // The pid of our own child cannot have been reused. A pid from a record is checked first.
  if (root.ours !== 'child' && (await processTable.row(root.pid))?.startTime !== root.startTime) return tree;
  try {
    process.kill(-root.pid, 'SIGSTOP');
    return { ...tree, held: until };
  } catch {
    return tree; // It has just ended.
  }
}

/** What was done so far, by pid and start time. */
interface Toll {
  hit: Map<string, ProcessRow>;
  refused: Set<string>;
}

/**
 * Ends the tree and waits until it is gone. Reports the processes that it could not end, and does not wait for them.
 * @param beforeSignal is called right before the first signal, if there is a process to signal.
 */
export async function endTree(tree: Tree, graceMs = GRACE_MS, beforeSignal = () => {}): Promise<TreeEnd> {
  const toll: Toll = { hit: new Map(), refused: new Set() };
  const { container } = tree;
  // Its client may not pass a signal on, and the CLI could make one more paid request.
  if (container !== undefined) {
    beforeSignal();
    await endContainer(container);
  }
  // List before killing: a child whose parent has died can no longer be found through its parent.
  let found = await look(tree, tree.seen ?? null);
  if (found.rows.length > 0) beforeSignal();
  await send(found.rows, 'SIGTERM', toll);
  if (tree.held !== undefined) letGo(tree);
  found = await awaitEnd(tree, found, toll, graceMs);
  await killGrouped(tree, found);
  const last = nowMs() + KILL_MS;
  for (found = await freeze(tree, found, toll, last); open(found, toll).length > 0 && nowMs() < last; ) {
    const before = toll.hit.size;
    await send(found.rows, 'SIGKILL', toll);
    sendGroups(found, 'SIGKILL');
    found = await freeze(tree, await look(tree, found, 'young'), toll, last);
    if (toll.hit.size === before) await pause(1);
  }
  const survivors = await processTable.living(found.rows);
  const keys = new Set(survivors.map(keyOf));
  const gone = [...toll.hit.keys(), ...toll.refused].filter((key) => !keys.has(key));
  const ended = new Set(gone.filter((key) => key !== (tree.root && keyOf(tree.root)))).size;
  if (survivors.length === 0 && tree.group) removeGroup(tree.group);
  // The client may have made it only just before its own end.
  const left = container === undefined ? null : await endContainer(container);
  return { ended, survivors, ...(left === null ? {} : { container: left }) };
}

/** Lets the kernel kill the group, including processes that we may not signal. Does nothing if we run in that group ourselves. */
async function killGrouped({ group = null }: Tree, { rows, above }: Members): Promise<void> {
  if (group === null || rows.length === 0) return;
  if (membersOfGroup(group).some((pid) => above.spared.has(pid)) || !killGroup(group)) return;
  for (const last = nowMs() + GROUP_MS; nowMs() < last && (await processTable.living(rows)).length > 0; )
    await pause(1);
}

/** Formats `4711 (sleep, user 65534)`: what a user needs to end the processes that we could not. */
export async function describeSurvivors(survivors: readonly ProcessRow[], container?: string): Promise<string[]> {
  const owners = await processTable.owners(survivors);
  const described = survivors.map(async (row) => {
    const name = path.basename((await processTable.words(row)).split(' ')[0]!) || 'unknown';
    const owner = owners.get(row.pid);
    return `${row.pid} (${name}${owner === undefined ? '' : `, user ${owner.uid}`})`;
  });
  return [...(await Promise.all(described)), ...(container === undefined ? [] : [container])];
}

function letGo({ root, held }: Tree): void {
  try {
    if (root !== null) process.kill(-root.pid, held === 'signalled' ? 'SIGCONT' : 'SIGKILL');
  } catch {
    // Another process killed it.
  }
}

/** Returns all living processes of the tree. We and our ancestors are never members. */
export async function membersOf(tree: Tree): Promise<ProcessRow[]> {
  return (await look(tree, tree.seen ?? null)).rows;
}

/** Waits until all have ended, or the time is up. Lists the machine seldom, because that is slow with many processes. */
async function awaitEnd(tree: Tree, first: Members, toll: Toll, graceMs: number): Promise<Members> {
  const deadline = nowMs() + graceMs;
  let found = first;
  for (let listed = nowMs(); open(found, toll).length > 0; ) {
    const remainingMs = deadline - nowMs();
    if (remainingMs <= 0) break;
    await pause(Math.min(10, remainingMs));
    const gone = (await processTable.living(open(found, toll))).length === 0;
    if (!gone && nowMs() - listed < LIST_MS) continue;
    found = await look(tree, found, nowMs() - found.elders.atMs < RENEW_MS ? 'young' : 'all');
    listed = nowMs();
  }
  return found;
}

/** Freezes processes before they are killed. Then none can start another one or lose its parent during the search. */
async function freeze(tree: Tree, first: Members, toll: Toll, last: number): Promise<Members> {
  const enough = nowMs() + FREEZE_MS;
  const frozen = new Set<string>();
  let found = first;
  for (let fresh = open(found, toll); fresh.length > 0 && nowMs() < enough; ) {
    await send(fresh, 'SIGSTOP', toll);
    sendGroups(found, 'SIGSTOP');
    for (const row of fresh) frozen.add(keyOf(row));
    found = await look(tree, found, 'young');
    fresh = open(found, toll).filter((row) => !frozen.has(keyOf(row)));
  }
  const listed = open(found, toll);
  // All listed processes are frozen: kill them before looking for others.
  if (listed.length > 0 && listed.every((row) => toll.hit.has(keyOf(row)))) return found;
  return chase(tree, found, toll, frozen, last);
}

/**
 * A look misses a process that forks and exits faster than the look. Such a process can exist only if pids were assigned during
 * the look. Then only those pids are checked, until none is assigned or several checks found no new process.
 */
async function chase(tree: Tree, found: Members, toll: Toll, frozen: Set<string>, last: number): Promise<Members> {
  const known = new Set(frozen);
  let seen = found;
  let held = false;
  for (let missed = 0; missed < MISSES && nowMs() < last && isOvertaken(seen); missed += 1) {
    held = found.numberOurs && freezeGroup(tree, found);
    seen = await look(
      tree,
      { ...seen, rows: [], numbers: found.numbers, numberHeld: held || found.numberHeld },
      'newest',
    );
    const fresh = open(seen, toll).filter((row) => !known.has(keyOf(row)));
    if (fresh.length > 0) missed = -1;
    await send(fresh, 'SIGSTOP', toll);
    for (const row of fresh) known.add(keyOf(row));
  }
  // Every frozen process is now stopped, so that a look finds it.
  if (!held && known.size === frozen.size) return found;
  return look(tree, { ...found, numberHeld: held || found.numberHeld }, 'young');
}

const isOvertaken = ({ newest }: Members) => newest !== null && processTable.newestNumber() !== newest;

/** Never freezes the group that we live in. @returns whether any process has that number, even a zombie. */
function freezeGroup({ root }: Tree, { above }: Members): boolean {
  try {
    return root !== null && !above.spared.has(root.pid) && process.kill(-root.pid, 'SIGSTOP');
  } catch {
    return false;
  }
}

const open = ({ rows }: Members, { refused }: Toll) => rows.filter((row) => !refused.has(keyOf(row)));

const keyOf = ({ pid, startTime }: { pid: number; startTime: string | null }) => `${pid} ${startTime}`;

async function send(rows: readonly ProcessRow[], signal: NodeJS.Signals, toll: Toll): Promise<void> {
  const { hit, refused } = await processTable.signal(rows, signal);
  for (const row of hit) toll.hit.set(keyOf(row), row);
  for (const row of refused) toll.refused.add(keyOf(row));
}

/** A process cannot fork past a signal to its group. So a group whose members all belong to the tree gets one signal. */
function sendGroups({ rows, numbers, atMs }: Members, signal: NodeJS.Signals): void {
  if (nowMs() - atMs >= SHORT_MS) return;
  for (const group of new Set(rows.map(({ pgid }) => pgid))) {
    if (!numbers.has(group)) continue;
    try {
      process.kill(-group, signal);
    } catch {
      // It is already gone, which was the goal.
    }
  }
}
