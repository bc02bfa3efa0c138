// Settles the open calls of the ledger whose waiting process is gone.

import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { type LimitsLedger, type OpenCall, settled } from '../../policies/limits/ledger.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { entryOf, registerFolder } from '../../state/calls/call-register.ts';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import { isAtWork } from '../../wrappers/adopt.ts';
import { foundTree } from '../../wrappers/processes/found-tree.ts';
import { isAlive } from '../../wrappers/processes/identity.ts';

/** Longer than any call may take: a call without a record by then will never report its usage. */
const LOST_MS = 14 * 86_400_000;

/** Each counts as spent from the beginning; its tokens are added after its task has its record. */
export async function settleDeadCalls(
  ledger: LimitsLedger,
  self: ProcessIdentity,
  environment: NodeJS.ProcessEnv,
  now: number,
): Promise<LimitsLedger> {
  let looked = ledger;
  for (const call of ledger.open) {
    if (await works(call, self, environment, now)) continue;
    const record = recordOf(call);
    if (record === null && call.task !== null && now - call.at < LOST_MS) looked = lost(looked, call);
    else {
      const { total_tokens: tokens = null, usd = null } = record?.usage ?? {};
      looked = settled(looked, call.call_id, { tokens, usd });
    }
  }
  return looked;
}

/** Returns whether its owner lives, or the CLI that it started continues without it. */
async function works(
  { call_id, owner, lost, at }: OpenCall,
  self: ProcessIdentity,
  environment: NodeJS.ProcessEnv,
  now: number,
): Promise<boolean> {
  if (lost === true) return false;
  const life = await isAlive(owner, self);
  if (life === 'alive') return true;
  const folder = registerFolder(environment);
  const entry = folder === null ? null : entryOf(folder, call_id);
  // From another container only its entry is visible, which its wrapper removes.
  if (life === 'unknown') return entry === null ? Math.abs(now - at) < FOREIGN_MS : Date.parse(entry.deadline_at) > now;
  if (entry === null) return false;
  const { marker, cli: root, guardian, attempt, temporary } = entry;
  const tree = await foundTree({ marker, root, guardian, folders: [attempt, temporary] });
  return isAtWork(tree, path.join(attempt, 'stdout'));
}

/** The time between its reservation and its entry in the register. */
const FOREIGN_MS = 600_000;

const lost = (ledger: LimitsLedger, call: OpenCall): LimitsLedger => ({
  ...ledger,
  open: ledger.open.map((one) => (one.call_id === call.call_id ? { ...one, lost: true as const } : one)),
});

function recordOf({ call_id, task }: OpenCall): CallRecord | null {
  if (task === null) return null;
  const record = readJsonIfFit<CallRecord>(path.join(task, 'state', 'attempts', call_id, 'record.json'));
  return record?.call_id === call_id ? record : null;
}
