// Manages the session of a stage from before its first call to after its last: no other run writes to it meanwhile.

import type { Verdict } from '../../policies/facts/evidence.ts';
import { rowOf } from '../../policies/facts/tools.ts';
import { type SessionEntry, tagOf } from '../../policies/session/session-entry.ts';
import { afterCall, CONTEXT_LIMIT_TOKENS, fitnessOf, restMs } from '../../policies/session/session-policy.ts';
import { countTokens } from '../session/own-files.ts';
import type { StageSession } from '../task/attempt-request.ts';
import type { StageRun } from '../task/stage-run.ts';
import { type KeptEntries, keptEntries } from './kept-entries.ts';
import { HANDED_ON, type Resolved, resolveSession } from './resolve.ts';
import { type HeldSessions, lockSessions, untilClosed } from './session-lock.ts';

/** @returns null if a stop was requested while it waited. */
export async function openStageSession(run: StageRun): Promise<StageSession | null> {
  const tag = tagOf(run.open.manifest.meta.feature, run.open.task.id);
  const held = await lockSessions(run, tag);
  if (held === null) return null;
  try {
    const kept = await keptEntries(run, tag);
    for (const warning of kept.all().warnings()) run.context.say(`warning: ${warning}`);
    const resolved: Resolved = held.isGuest() ? NEW : await resolveSession(run, tag, kept.all(), kept.noted);
    const session = sessionOf(run, tag, { kept, held, resolved });
    if (session.id !== null && (await held.hold(session.id)) === 'stopped') {
      held.release();
      return null;
    }
    // The session's own agent started this process.
    if (held.isGuest()) [session.id, session.use] = [null, 'new'];
    await tell(run, session, resolved, kept);
    if (session.id === null) return session;
    const opened = await untilClosed(run, session.id);
    if (opened.how === 'stopped') {
      held.release();
      return null;
    }
    if (opened.how === 'open') session.leaveOpen(opened.by);
    return session;
  } catch (error) {
    held.release();
    throw error;
  }
}

const NEW: Resolved = { use: 'new', replaced: null };

function sessionOf(
  run: StageRun,
  tag: string,
  { kept, held, resolved }: { kept: KeptEntries; held: HeldSessions; resolved: Resolved },
): StageSession {
  const { open, stage, context } = run;
  const { clock, environment } = context;
  const { context_limit, rest_sec } = open.project.sessions;
  const limit = rowOf(context_limit, stage.tool, CONTEXT_LIMIT_TOKENS);
  const replaced = resolved.use === 'new' ? resolved.replaced : null;
  // A session of another folder, account or machine is still valid there.
  const isKept = ['folder', 'account', 'absent'].includes(replaced?.because ?? '');
  let replacedId = isKept ? undefined : replaced?.entry.session_id;
  const current = () => (session.id === null ? null : kept.known(session.id));
  const isFit = (entry: SessionEntry) => fitnessOf(entry, limit).how === 'ready';
  const rest = (entry: SessionEntry) => restMs(entry, clock(), rest_sec * 1000);
  const keep = async (entry: SessionEntry) => {
    // A run from within the tag's own session must not change its entry.
    if (!held.isGuest()) await kept.keep(entry, replacedId);
  };
  const failedAt = (id: string, verdict: Verdict, at: Date): SessionEntry => {
    const entry = kept.known(id);
    return afterCall(entry, verdict, { at, ...entry });
  };
  const session: StageSession = {
    tag,
    use: resolved.use,
    id: resolved.use === 'new' ? null : resolved.entry.session_id,
    overflowed: replaced !== null && HANDED_ON.has(replaced.because),
    notes: kept.notes,
    release: held.release,
    restMs: () => {
      const entry = current();
      return entry === null ? 0 : rest(entry);
    },
    async note({ session_id: id, verdict, ending, usage }) {
      if (id === null || ending === 'not_started') return;
      // A new session is recorded only after it contains an answer.
      if (verdict.class !== null && session.id !== id) return;
      const counted = await countTokens(stage.tool, id, { environment, cwd: open.cwd });
      const before = kept.known(id);
      const reportedTokens = usage.api_requests === 1 ? usage.total_tokens : null;
      const used = {
        at: clock(),
        context_tokens: counted.context_tokens ?? reportedTokens,
        total_tokens: counted.total_tokens ?? before.total_tokens + (usage.total_tokens ?? 0),
      };
      await keep(afterCall(before, verdict.class === null ? null : verdict, used));
      session.id = id;
    },
    ahead({ session_id: id, verdict }) {
      if (id === null) return null;
      const entry = id === session.id ? kept.known(id) : failedAt(id, verdict, clock());
      return isFit(entry) && !kept.all().isGivenUp(stage.tool, id) ? { id, restMs: rest(entry) } : null;
    },
    async resumeIn(id, verdict, at) {
      if ((await held.hold(id)) === 'stopped') return 'stopped';
      if (kept.current()?.session_id !== id) await keep(failedAt(id, verdict, at));
      [session.id, session.use] = [id, session.use === 'new' ? 'resumed' : session.use];
      return 'held';
    },
    isUnfit: (id) => kept.all().isGivenUp(stage.tool, id) || !isFit(kept.known(id)),
    async giveUp(id, how) {
      if (!held.isGuest()) await kept.drop(id, how);
      [session.id, session.use, session.overflowed] = [null, 'new', how === 'lost'];
    },
    startNew() {
      const entry = current();
      if (entry === null) return;
      const fitness = fitnessOf(entry, limit);
      replacedId = entry.session_id;
      session.overflowed = fitness.how === 'refused' && fitness.because === 'context';
      const why = fitness.how === 'refused' ? `: ${fitness.why}` : '';
      session.notes.push(`a fresh session takes the place of ${replacedId}${why}`);
      [session.id, session.use] = [null, 'new'];
    },
    leaveOpen(by) {
      const note = `a fresh session takes the place of ${session.id}, which is open: ${by}`;
      session.notes.push(note);
      run.context.say(`stage ${stage.name}: ${note}`);
      [session.id, session.use, session.overflowed] = [null, 'new', true];
    },
    async poison(id, why) {
      await keep({ ...kept.known(id), poisoned: why });
      replacedId = id;
      [session.id, session.use] = [null, 'new'];
    },
  };
  return session;
}

/** Reports the choice to the user. A session that was found again is recorded at once. */
async function tell({ stage, context }: StageRun, session: StageSession, resolved: Resolved, kept: KeptEntries) {
  const { say, clock } = context;
  const what = `stage ${stage.name}`;
  if (resolved.use === 'new') {
    if (resolved.replaced === null) return;
    const { entry, why } = resolved.replaced;
    const note = `a fresh session takes the place of ${entry.session_id}: ${why}`;
    session.notes.push(note);
    say(`${what}: ${note}`);
    return;
  }
  if (session.id === null) return;
  if (resolved.use === 'recovered') {
    const days = Math.floor((clock().getTime() - Date.parse(resolved.entry.last_used)) / 86_400_000);
    say(
      `${what}: found session ${session.id} of feature "${session.tag}" among ${stage.tool}'s own, ${days < 1 ? 'of today' : `last used ${days === 1 ? 'a day' : `${days} days`} ago`}; going on in it`,
    );
    await kept.keep(resolved.entry);
    return;
  }
  const { in_place_of: first } = resolved.entry;
  const instead = first === undefined ? '' : `, which took the place of ${first}`;
  say(`${what}: continues in session ${session.id}${instead}`, 'once');
}
