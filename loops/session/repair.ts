// Repairs a session whose history the service rejects or would reject, with the smallest change that works.

import { isBuiltIn, type Tool } from '../../policies/facts/tools.ts';
import { TESTED_VERSIONS } from '../../policies/manifest/tested-versions.ts';
import type { Flaw, Turn } from '../../policies/session/conversation.ts';
import { isSystemError } from '../../state/system-error.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { type Conversation, isSessionFileError, type SessionStore } from '../../wrappers/sessions/store.ts';
import { editSession } from './edit.ts';
import { planRollback } from './undo.ts';
import { writerOf } from './wait-until-idle.ts';

interface Broken {
  tool: Tool;
  sessionId: string;
  /** null is unknown: then only what the service refused is repaired. */
  cliVersion: string | null;
  environment: NodeJS.ProcessEnv;
  /** The folder in which its CLI runs. */
  cwd: string;
  clock: () => Date;
}

/** `what` and `why` are half sentences for a report. */
type RepairedSession = { how: 'fixed'; what: string } | { how: 'unchanged' } | { how: 'impossible'; why: string };

/** Runs before a resume and changes only what is known to be sent wrongly. It does not touch a session that it cannot read. */
export const repairBeforeResume = (broken: Broken): Promise<RepairedSession> =>
  orCannot(async () => {
    const opened = await open(broken);
    if (opened === null) return { how: 'unchanged' };
    const { conversation, store } = opened;
    const flaws = conversation.flaws(broken.cliVersion);
    if (flaws === null) return leftAlone(broken, conversation);
    if (flaws.length === 0) return { how: 'unchanged' };
    const { session } = conversation;
    const writer = await writerOf({ store, session, lookup: broken, clock: broken.clock });
    return writer === null ? mendFlaws(broken, conversation, flaws) : { how: 'impossible', why: writer };
  });

/**
 * Runs after the service refused the history. Repairs its flaws, and removes a prompt without a result, which is then sent again.
 * Keeps a turn in which tools ran, whatever was refused: without it they would run again.
 */
export const repairBroken = (broken: Broken & { ranTools: boolean }): Promise<RepairedSession> =>
  orCannot<RepairedSession>(async () => {
    const opened = await open(broken);
    if (opened === null) return { how: 'impossible', why: `the file of session ${broken.sessionId} is not found` };
    const { conversation } = opened;
    // The service has said that the session is broken. So an unknown version is treated like the last known one.
    const flaws = conversation.flaws(broken.cliVersion) ?? conversation.flaws(lastTested(broken.tool)) ?? [];
    const flawsResult = flaws.length === 0 ? null : await mendFlaws(broken, conversation, flaws);
    if (flawsResult?.how === 'impossible') return flawsResult;
    const taken = broken.ranTools ? null : await withoutRefused(broken);
    if (taken?.how === 'impossible' && flawsResult === null) return taken;
    const what = [flawsResult, taken].flatMap((each) => (each?.how === 'fixed' ? [each.what] : []));
    // The CLI does not store a prompt that was refused before any answer, or it matches calls and results itself on a resume.
    return what.length === 0 ? { how: 'unchanged' } : { how: 'fixed', what: what.join('; ') };
  });

const lastTested = (tool: Tool): string => (isBuiltIn(tool) ? TESTED_VERSIONS[tool].tested.at(-1)! : '');

/** A file is read lazily, so every look may find an error in it. */
async function orCannot<T>(repair: () => Promise<T>): Promise<T | { how: 'impossible'; why: string }> {
  try {
    return await repair();
  } catch (error) {
    if (!isSessionFileError(error) && !isSystemError(error)) throw error;
    return { how: 'impossible', why: error.message };
  }
}

/** @returns null if the CLI has no session of that id. */
async function open({ tool, sessionId, environment, cwd }: Broken): Promise<Opened | null> {
  const store = await adapterOf(tool).sessions();
  const session = await store.find(sessionId, { environment, cwd });
  return session === null ? null : { store, conversation: store.open(session) };
}

interface Opened {
  store: SessionStore;
  conversation: Conversation;
}

/** The makers of an untested version may have fixed the flaw; then our change could break the session. */
function leftAlone({ tool, cliVersion }: Broken, conversation: Conversation): RepairedSession {
  const suspected = conversation.flaws(lastTested(tool)) ?? [];
  if (suspected.length === 0) return { how: 'unchanged' };
  const version = cliVersion ?? 'of an unknown version';
  const why = `what ${tool} ${version} sends is not known, and ${lastTested(tool)} would send ${describeFlaws(suspected)}; its file is not changed`;
  return { how: 'impossible', why };
}

async function mendFlaws(
  broken: Broken,
  conversation: Conversation,
  flaws: readonly Flaw[],
): Promise<RepairedSession & { how: 'fixed' | 'impossible' }> {
  const edited = await editSession({
    ...broken,
    conversation,
    edit: conversation.repair(flaws),
    what: 'mended',
    holder: {},
  });
  switch (edited.how) {
    case 'edited':
      return { how: 'fixed', what: `repaired ${describeFlaws(flaws)}` };
    case 'unchanged':
      return { how: 'impossible', why: `${describeFlaws(flaws)} cannot be repaired` };
    case 'refused':
      return { how: 'impossible', why: edited.why };
  }
}

/** The prompt is sent again. If it remained without an answer, it would be there twice. */
async function withoutRefused(broken: Broken) {
  const opened = await open(broken);
  if (opened === null) return null;
  const { conversation } = opened;
  const { turns } = conversation;
  const [last] = turns === 0 ? [] : conversation.read(turns, turns);
  const plan = planRollback(conversation);
  if (last === undefined || plan.how === 'nothing' || !isUnanswered(last)) return null;
  const edited = await editSession({ ...plan, ...broken, conversation, holder: {} });
  if (edited.how === 'edited') return { how: 'fixed', what: 'took back the turn that was refused' } as const;
  return edited.how === 'refused' ? ({ how: 'impossible', why: edited.why } as const) : null;
}

/** A turn without a result. */
const isUnanswered = ({ items }: Turn) => items.every(({ how }) => how === 'noted' || how === 'thought');

const NAMES = {
  unanswered_call: ['call without its result', 'calls without their results'],
  doubled_response: ['result that is sent twice', 'results that are sent twice'],
  stray_response: ['result without its call', 'results without their calls'],
} as const satisfies Record<Flaw['how'], readonly [one: string, many: string]>;

/** "1 call without its result and 2 results that are sent twice". */
function describeFlaws(flaws: readonly Flaw[]): string {
  const kinds = Object.keys(NAMES) as Flaw['how'][];
  return kinds
    .map((kind) => ({ kind, count: flaws.filter(({ how }) => how === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${count} ${NAMES[kind][count === 1 ? 0 : 1]}`)
    .join(' and ');
}
