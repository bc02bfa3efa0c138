// Which session a stage's first call goes on in: the one that is named, the tag's, one that is found again, or a new one.

import type { SessionEntry } from '../../policies/session-entry.ts';
import { fitnessOf } from '../../policies/session-policy.ts';
import type { Sessions } from '../../state/sessions-file.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import type { StageRun } from '../run/stage.ts';
import { countTokens, findSession } from './own-files.ts';
import { realOr, recoverSession } from './recovery.ts';

export type SessionUse = 'new' | 'resumed' | 'recovered' | 'named';

export type Resolved =
  | { use: 'named' | 'resumed' | 'recovered'; entry: SessionEntry }
  /** `left`: the one that it takes the place of, and why. */
  | { use: 'new'; left: { entry: SessionEntry; because: 'poisoned' | 'errors' | 'context'; why: string } | null };

/** Whose session it is. */
export type Asker = Pick<StageRun, 'open' | 'stage' | 'environment' | 'clock'>;

/** Nothing of it costs a call. */
export async function resolveSession(run: Asker, tag: string, sessions: Sessions): Promise<Resolved> {
  return (
    (await namedSession(run, tag, sessions)) ??
    (await activeSession(run, tag, sessions)) ??
    (await foundSession(run, tag, sessions)) ?? { use: 'new', left: null }
  );
}

/** An id belongs to one tool: the others of a task go on with the tag's sessions. */
async function namedSession(run: Asker, tag: string, sessions: Sessions): Promise<Resolved | null> {
  const { open, stage, environment, clock } = run;
  const id = open.manifest.meta.session_id;
  if (id === undefined) return null;
  const lookup = { environment, cwd: open.cwd };
  const others = [...new Set(open.plans.map((plan) => plan.stage.tool))].filter((tool) => tool !== stage.tool);
  if (others.length > 0 && (await findSession(stage.tool, id, lookup)) === null)
    for (const tool of others) if ((await findSession(tool, id, lookup)) !== null) return null;
  const known = sessions.entries().find(({ tool, entry }) => tool === stage.tool && entry.session_id === id);
  if (known !== undefined) return judged(run, 'named', known.entry);
  const { context_tokens, total_tokens } = await countTokens(stage.tool, id, lookup);
  const counted = { context_tokens, total_tokens: total_tokens ?? 0 };
  return judged(run, 'named', freshEntry(run, tag, id, clock(), counted));
}

async function activeSession(run: Asker, tag: string, sessions: Sessions): Promise<Resolved | null> {
  const { open, stage } = run;
  const entry = sessions.entry(tag, stage.tool);
  if (entry === null) return null;
  const { boundToCwd } = await ADAPTERS[stage.tool].sessions();
  if (boundToCwd && realOr(entry.cwd) !== realOr(open.cwd)) return null;
  return judged(run, 'resumed', entry);
}

async function foundSession(run: Asker, tag: string, sessions: Sessions): Promise<Resolved | null> {
  const { open, stage, environment, clock } = run;
  const found = await recoverSession({
    tool: stage.tool,
    tag,
    goal: open.manifest.goal,
    trees: [open.root, open.tree],
    lookup: { environment, cwd: open.cwd },
    isGivenUp: (id) => sessions.isGivenUp(stage.tool, id),
    now: clock(),
  });
  if (found === null) return null;
  const { session, context_tokens, total_tokens } = found;
  const counted = { context_tokens, total_tokens: total_tokens ?? 0 };
  return judged(run, 'recovered', freshEntry(run, tag, session.id, new Date(session.changedAtMs), counted));
}

function judged({ open, stage }: Asker, use: 'named' | 'resumed' | 'recovered', entry: SessionEntry): Resolved {
  const fitness = fitnessOf(entry, open.project.sessions.context_limit[stage.tool]);
  return fitness.how === 'fit' ? { use, entry } : { use: 'new', left: { entry, ...fitness } };
}

export const freshEntry = (
  { open }: Pick<StageRun, 'open'>,
  tag: string,
  id: string,
  at: Date,
  counted: Pick<SessionEntry, 'context_tokens' | 'total_tokens'>,
): SessionEntry => ({
  session_id: id,
  last_used: at.toISOString(),
  error_count: 0,
  total_tokens: counted.total_tokens,
  context_tokens: counted.context_tokens,
  feature_id: tag,
  cwd: open.cwd,
});
