// Finds out whether a call started this process: by its environment, its ancestors and the user's register of calls.

import { userInfo } from 'node:os';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { type RegisterEntry, readEntries, registerFolder } from '../../state/calls/call-register.ts';
import { StrangeStateError } from '../../state/disk/strange-state-error.ts';
import { isSystemError } from '../../state/system-error.ts';
import { adopterOfOrphans, type OwnLineage, ownLineage } from '../../wrappers/processes/ancestors.ts';
import { groupedCall } from '../../wrappers/processes/cgroup.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { hasTerminal } from '../../wrappers/processes/linux.ts';
import { markerIn } from '../../wrappers/processes/marker.ts';
import type { ProcessRow } from '../../wrappers/processes/rows.ts';
import { processTable } from '../../wrappers/processes/table.ts';
import { bears, isOlder } from '../../wrappers/processes/trust.ts';

type Origin =
  | { how: 'outside' }
  | { how: 'inside'; call: string }
  /** `call`: the call that may have started it; null if the register cannot be read. */
  | { how: 'unknown'; call: string | null; why: string };

const OUTSIDE: Origin = { how: 'outside' };
const inside = (call: string): Origin => ({ how: 'inside', call });

/**
 * @param act what a call may not do, such as `change a budget`.
 * @param loosens whether it loosens what the user has set: then it is also refused if its origin cannot be determined.
 * @returns why it is refused here, or null.
 */
export async function refusalInCall(act: string, loosens: () => Promise<boolean>): Promise<string | null> {
  const origin = await originOf(process.env);
  if (origin.how === 'outside') return null;
  if (origin.how === 'inside')
    return `a call may not ${act}, and this was started from within the call ${origin.call}; ask the caller that started it`;
  if (!(await loosens())) return null;
  const { call, why } = origin;
  if (call === null)
    return `a call may not ${act}, and the register of running calls does not show whether this was started from within one: ${why}. Once no call runs, remove it and try again`;
  return `a call may not ${act}, and whether this was started from within the call ${call} cannot be determined: ${why}. Wait until that call has ended (tollgate status), or use a shell that was opened before it`;
}

async function originOf(environment: NodeJS.ProcessEnv): Promise<Origin> {
  const marker = markerIn(environment);
  if (marker !== null) return inside(marker);
  const lineage = await ownLineage();
  // An agent can clear the environment of the processes that it starts, but not its own.
  const [above] = (await processTable.markers(lineage.rows.slice(1))).values();
  if (above !== undefined) return inside(above);
  // The kernel tells it also where the register is hidden from us.
  const grouped = groupedCall();
  if (grouped !== null) return inside(grouped);
  const { entries, broken } = registered(environment);
  const calls = entries.length === 0 ? [] : await callsOf(entries);
  if (typeof calls === 'string') return { how: 'unknown', call: entries[0]!.marker, why: calls };
  const ours = calls.find(({ cli }) => cli !== null && descendsFrom(lineage.rows, cli));
  if (ours !== undefined) return inside(ours.marker);
  if (broken !== null) return { how: 'unknown', call: null, why: broken };
  const running = calls.filter(({ place }) => place !== 'over');
  return running.length === 0 ? OUTSIDE : whetherLost(lineage, running);
}

/** Reads the registers of the environment and of the user's own home. An agent can choose only the first. */
function registered(environment: NodeJS.ProcessEnv): { entries: RegisterEntry[]; broken: string | null } {
  const folders = new Set([registerFolder(environment), registerFolder({ HOME: ownHome() })]);
  const entries: RegisterEntry[] = [];
  let broken: string | null = null;
  for (const folder of folders) {
    if (folder === null) continue;
    try {
      for (const found of readEntries(folder))
        if (found.how === 'read') entries.push(found.entry);
        else broken ??= `${found.file} cannot be read: ${found.why}`;
    } catch (error) {
      if (!isSystemError(error)) throw error;
      broken ??= `${folder} cannot be read: ${error.message}`;
    }
  }
  return { entries, broken };
}

function ownHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    // A user without an entry in the system's list, as in some containers.
    return '';
  }
}

interface FoundCall {
  marker: string;
  /** `over`: its guardian and its CLI have ended, but processes that they started may still live. */
  place: 'here' | 'elsewhere' | 'over';
  /** The process whose session and process group belong to the call; null if none can be relied on. */
  cli: ProcessIdentity | null;
  /** No process of the call is older. */
  since: string;
}

/** Returns the reason instead if the processes of this machine cannot be seen. */
async function callsOf(entries: readonly RegisterEntry[]): Promise<FoundCall[] | string> {
  try {
    const self = (await identify(process.pid))!;
    const found = await Promise.all(entries.map((entry) => callOf(entry, self)));
    return found.filter((call) => call !== null);
  } catch (error) {
    if (!(error instanceof StrangeStateError)) throw error;
    return 'the system does not show the processes of this machine';
  }
}

async function callOf(entry: RegisterEntry, self: ProcessIdentity): Promise<FoundCall | null> {
  const { guardian, marker } = entry;
  if (guardian.boot_id !== self.boot_id) return null;
  const call = { marker, since: guardian.start_time };
  if (guardian.pid_ns !== self.pid_ns) {
    // No namespace is above the first one, so no call of another namespace started this process. Elsewhere the guardian's
    // processes cannot be looked up, so its deadline decides.
    const isOver = self.pid_ns === FIRST_NAMESPACE || Date.parse(entry.deadline_at) < Date.now();
    return isOver ? null : { ...call, place: 'elsewhere', cli: null };
  }
  const isGuarded = await isOwnLiving(guardian);
  const cli = await standingOf(entry, isGuarded);
  if (!isGuarded && cli === 'another') return null;
  return { ...call, place: isGuarded || cli === 'lives' ? 'here' : 'over', cli: cli === 'another' ? null : entry.cli };
}

const FIRST_NAMESPACE = 'pid:[4026531836]';

async function isOwnLiving({ pid, start_time }: ProcessIdentity): Promise<boolean> {
  const row = await processTable.row(pid);
  if (row === null || row.zombie || row.startTime !== start_time) return false;
  return (await processTable.owners([row])).get(pid)?.uid === process.getuid?.();
}

/** `another`: the pid was given to another process, or the entry names a process that does not belong to the call. */
async function standingOf({ cli, guardian, marker }: RegisterEntry, isGuarded: boolean) {
  if (cli === null) return 'another';
  const row = await processTable.row(cli.pid);
  if (row === null || row.zombie) return 'ended';
  if (row.startTime !== cli.start_time) return 'another';
  const bearing = (await processTable.markers([row])).get(row.pid);
  // A CLI may clear its own environment. A login shell, which a forged entry may name, has a terminal.
  const isOfCall =
    bearing === undefined ? isGuarded && row.ppid === guardian.pid && !hasTerminal(row.pid) : bears(bearing, marker);
  return isOfCall ? 'lives' : 'another';
}

/** The system does not reuse a number while it names a session or a process group, even if its leader has ended. */
const descendsFrom = (rows: readonly ProcessRow[], { pid, start_time }: ProcessIdentity): boolean =>
  rows.some((row) => (row.pid === pid && row.startTime === start_time) || row.sid === pid || row.pgid === pid);

/** Checks whether this process, or an ancestor, may have lost a parent that belonged to a call. */
async function whetherLost(lineage: OwnLineage, live: readonly FoundCall[]): Promise<Origin> {
  const [self] = lineage.rows;
  if (self === undefined) return { how: 'unknown', call: live[0]!.marker, why: '/proc does not show this process' };
  // A process can leave its session for a new one, but not for an older one.
  const leader = self.sid === null ? null : await processTable.row(self.sid);
  const younger = live.filter(({ since }) => leader === null || !isOlder(leader.startTime, since));
  const loose = younger.length === 0 ? null : await looseIn(lineage);
  if (loose === null) return OUTSIDE;
  const { row, lacks, from } = loose;
  const call = younger.find(({ since, place }) => from.includes(place) && !isOlder(row.startTime, since));
  if (call === undefined) return OUTSIDE;
  const who = row.pid === self.pid ? 'this process' : `its ancestor ${row.pid}`;
  return { how: 'unknown', call: call.marker, why: `${who} has started after that call and ${lacks}` };
}

interface LooseRow {
  row: ProcessRow;
  lacks: string;
  /** The places of the calls that may have started it. */
  from: readonly FoundCall['place'][];
}

/** Returns the ancestor whose parent may not be the process that started it, or null. */
async function looseIn({ rows, upTo }: OwnLineage): Promise<LooseRow | null> {
  const anywhere = ['here', 'elsewhere'] as const;
  const last = rows.at(-1)!;
  if (upTo === 'hidden') return { row: last, lacks: 'its parent cannot be seen', from: anywhere };
  const adopter = await adopterOfOrphans();
  if (adopter === null) return { row: last, lacks: 'the system does not show who adopts orphans', from: anywhere };
  const child = rows.find(({ ppid }) => ppid === adopter);
  // No call of this container started a process that entered it from outside.
  if (child === undefined)
    return last.ppid === 0 ? { row: last, lacks: 'has entered this container', from: ['elsewhere'] } : null;
  // A process that a service of another user started, such as sshd, is not our orphan.
  const owner = (await processTable.owners([child])).get(child.pid);
  if (owner !== undefined && owner.uid !== process.getuid?.()) return null;
  return { row: child, lacks: 'its first parent may have ended', from: anywhere };
}
