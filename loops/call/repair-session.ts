// Prepares a resume: rejects a session of another folder, repairs a broken history, and notes what the session has counted.

import type { Usage } from '../../policies/facts/engine-event.ts';
import { isPublished } from '../../wrappers/cli-version.ts';
import type { Draft } from '../attempt/draft.ts';
import { type RepairedSession, repairBeforeResume } from '../conversation/repair.ts';
import { findSession, lookInto, quietly } from '../session/own-files.ts';
import { elsewhereMistake, worksElsewhere } from '../session/works-elsewhere.ts';
import type { Refusal } from './check.ts';

/**
 * A session that cannot be repaired is resumed as it is: the service decides, and may accept it.
 * @returns why the session may not be resumed here.
 */
export async function repairSession(draft: Draft, sessionId: string): Promise<Refusal | null> {
  const { adapter, call } = draft.request;
  if (await isGone(draft, sessionId)) {
    const message = `${adapter.tool} has no session ${sessionId}: it was deleted, or belongs to another home folder. Name another one, or begin a new one`;
    return { class: 'tooling', reason: 'session_id', exit: 'refusedInput', message };
  }
  const there = await worksElsewhere(adapter.tool, sessionId, call);
  if (there !== null) {
    const message = elsewhereMistake(adapter.tool, sessionId, there, call.cwd);
    return { class: 'tooling', reason: 'session_elsewhere', exit: 'badInput', message };
  }
  const mended = await mend(draft, sessionId);
  if (mended.how === 'mended') draft.warnings.push(`session ${sessionId}: ${mended.what} before it was resumed`);
  if (mended.how === 'cannot') draft.warnings.push(`session ${sessionId} was resumed as it is: ${mended.why}`);
  draft.countedBefore = await countedBefore(draft, sessionId);
  return null;
}

/** Checks only an id that the CLI could not read as a name or an index, and only if its files could be read. */
async function isGone({ request, binary }: Draft, sessionId: string): Promise<boolean> {
  const { packageName, entries, sessions } = request.adapter;
  if (!WHOLE_ID.test(sessionId) || binary === null || !isPublished(binary, packageName, entries)) return false;
  const store = await sessions();
  const found = await quietly(async () => ({ file: await store.find(sessionId, request.call) }));
  return store.isLocal && found !== null && found.file === null;
}

const WHOLE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function countedBefore({ request }: Draft, sessionId: string): Promise<Partial<Usage> | null> {
  const { adapter, call } = request;
  if (adapter.usageCounts === 'call') return null;
  const session = await findSession(adapter.tool, sessionId, call);
  return session && lookInto(adapter.tool, session, (conversation) => conversation.countedSoFar());
}

function mend({ request, cliVersion, clock }: Draft, sessionId: string): Promise<RepairedSession> {
  const { adapter, call } = request;
  const { tool } = adapter;
  const { environment, cwd } = call;
  return repairBeforeResume({ tool, sessionId, cliVersion, environment, cwd, clock });
}
