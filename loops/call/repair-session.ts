// Prepares a resume: rejects a session of another folder, repairs a broken history, and notes what the session has counted.

import type { ReportedUsage } from '../../policies/facts/engine-event.ts';
import type { CheckedCall } from '../attempt/phases.ts';
import { elsewhereMistake, findSession, isDeleted, lookInto, worksElsewhere } from '../session/own-files.ts';
import { repairBeforeResume } from '../session/repair.ts';
import { type Refusal, toolingRefusal } from './check.ts';

type Resumable =
  /** @see EquippedCall.countedBefore */
  | { how: 'ready'; countedBefore: ReportedUsage | null; warnings: string[] }
  /** The session may not be resumed here. */
  | { how: 'refused'; refusal: Refusal };

const refuse = (refusal: Refusal) => ({ how: 'refused', refusal }) as const;

/** A session that cannot be repaired is resumed as it is: the service decides, and may accept it. */
export async function repairSession(checked: CheckedCall, sessionId: string): Promise<Resumable> {
  const { adapter, call } = checked.request;
  // Through a prefix, it may have other files.
  if (adapter.prefix === undefined && (await isDeleted(adapter, checked.binary, sessionId, call, 'unknown'))) {
    const message = `${adapter.tool} has no session ${sessionId}: it was deleted, or belongs to another home folder. Name another one, or begin a new one`;
    return refuse(toolingRefusal('session_id', message, 'refusedInput'));
  }
  const there = await worksElsewhere(adapter.tool, sessionId, call);
  if (there !== null)
    return refuse(toolingRefusal('session_elsewhere', elsewhereMistake(adapter.tool, sessionId, there, call.cwd)));
  const repaired = await repair(checked, sessionId);
  const warnings =
    repaired.how === 'fixed'
      ? [`session ${sessionId}: ${repaired.what} before it was resumed`]
      : repaired.how === 'impossible'
        ? [`session ${sessionId} was resumed as it is: ${repaired.why}`]
        : [];
  return { how: 'ready', countedBefore: await countedBefore(checked, sessionId), warnings };
}

async function countedBefore({ request }: CheckedCall, sessionId: string): Promise<ReportedUsage | null> {
  const { adapter, call } = request;
  if (adapter.usageCounts === 'call') return null;
  const session = await findSession(adapter.tool, sessionId, call);
  return session && lookInto(adapter.tool, session, (conversation) => conversation.countedSoFar());
}

function repair({ request, cliVersion, clock }: CheckedCall, sessionId: string) {
  const { adapter, call } = request;
  const { tool } = adapter;
  const { environment, cwd } = call;
  return repairBeforeResume({ tool, sessionId, cliVersion, environment, cwd, clock });
}
