// Chooses the session of a stage's first call: the named one, the tag's, one that is found again, or a new one.

import { rowOf, type Tool } from '../../policies/facts/tools.ts';
import { newEntry, type SessionEntry } from '../../policies/session/session-entry.ts';
import { CONTEXT_LIMIT_TOKENS, fitnessOf } from '../../policies/session/session-policy.ts';
import { isSameFolder } from '../../state/disk/real-folder.ts';
import { writeRefusal } from '../../state/disk/replace-file.ts';
import type { Sessions } from '../../state/sessions/sessions-file.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { notedById, notedOfTag, recoverSession } from '../session/find-lost-session.ts';
import { countTokens, findSession, worksElsewhere } from '../session/own-files.ts';
import type { StageRun } from '../task/stage-run.ts';
import type { OpenTask } from '../task/task.ts';

export type Resolved =
  | { use: 'named' | 'resumed' | 'recovered'; entry: SessionEntry }
  /** `left`: the session that it replaces, and why. */
  | { use: 'new'; replaced: ReplacedSession | null };

interface ReplacedSession {
  entry: SessionEntry;
  /** `folder`, `account`: it is valid only in another one; `absent`: perhaps on another machine. */
  because: 'poisoned' | 'errors' | 'context' | 'folder' | 'account' | 'absent' | 'read_only';
  /** Half a sentence. */
  why: string;
}

/** The content of these sessions is sound, so a new session gets a note about it. */
export const HANDED_ON: ReadonlySet<ReplacedSession['because']> = new Set([
  'context',
  'folder',
  'account',
  'absent',
  'read_only',
]);

/** The stage that needs a session. */
interface Asker {
  open: OpenTask;
  stage: StageRun['stage'];
  context: { environment: NodeJS.ProcessEnv; clock: () => Date };
}

/** Makes no call. @param noted the session according to the journals, if sessions.json is lost. */
export async function resolveSession(
  run: Asker,
  tag: string,
  sessions: Sessions,
  noted: SessionEntry | null = null,
): Promise<Resolved> {
  const found = (await namedSession(run, tag, sessions, noted)) ??
    (await activeSession(run, tag, sessions)) ??
    (await notedAs(run, sessions, noted)) ??
    (await foundSession(run, tag, sessions)) ?? {
      use: 'new',
      replaced: (await sessionElsewhere(run, tag, sessions)) ?? absentSession(run, tag, sessions),
    };
  return found.use === 'new' ? found : writable(run, found);
}

/** Rejects a session whose file the CLI could not write to. */
async function writable(
  { open, stage, context: { environment } }: Asker,
  found: Exclude<Resolved, { use: 'new' }>,
): Promise<Resolved> {
  const { entry } = found;
  const session = await findSession(stage.tool, entry.session_id, { environment, cwd: open.cwd });
  const refused = session === null ? null : writeRefusal(session.file);
  if (session === null || refused === null) return found;
  return {
    use: 'new',
    replaced: { entry, because: 'read_only', why: `${session.file} cannot be written (${refused})` },
  };
}

/** An id belongs to one tool: the other tools of a task continue in the tag's sessions. */
async function namedSession(
  run: Asker,
  tag: string,
  sessions: Sessions,
  noted: SessionEntry | null,
): Promise<Resolved | null> {
  const { open, stage, context } = run;
  const { environment, clock } = context;
  const id = open.manifest.meta.session_id;
  if (id === undefined) return null;
  const lookup = { environment, cwd: open.cwd };
  const others = [...new Set(open.plans.map((plan) => plan.stage.tool))].filter((tool) => tool !== stage.tool);
  if (others.length > 0 && (await findSession(stage.tool, id, lookup)) === null)
    for (const tool of others) if ((await findSession(tool, id, lookup)) !== null) return null;
  // The check of the task reports this for the stage's own tool. Only a fallback can get here.
  if ((await worksElsewhere(stage.tool, id, lookup)) !== null) return null;
  const instead = [sessions.entry(tag, stage.tool, null, stage.account), noted, ...ofTool(sessions, stage.tool)].find(
    (entry) => entry?.in_place_of === id,
  );
  if (instead) return judged(run, 'resumed', instead);
  const byId = isWhole(sessions) ? null : notedById(open.stateFolder, stage.tool, id);
  const known = newest([lastKnown(sessions, stage.tool, id), noted?.session_id === id ? noted : null, byId]);
  if (known !== null) return judged(run, 'named', known);
  const counted = await countTokens(stage.tool, id, lookup);
  return judged(run, 'named', freshEntry(run, tag, id, clock(), counted));
}

const ofTool = (sessions: Sessions, tool: Tool): SessionEntry[] =>
  sessions.entries().flatMap((each) => (each.tool === tool ? [each.entry] : []));

/** Lost or unreadable entries may be the ones that count. */
const isWhole = (sessions: Sessions): boolean => !isLost(sessions) && sessions.warnings().length === 0;

/** Also true if sessions.json was set aside, and is empty now. */
export const isLost = ({ json }: Sessions): boolean => Object.keys(json).length === 0;

/** A session may belong to several tags: the entry of its last call counts. */
export const lastKnown = (sessions: Sessions, tool: Tool, id: string): SessionEntry | null =>
  newest(ofTool(sessions, tool).filter(({ session_id }) => session_id === id));

function newest(entries: readonly (SessionEntry | null)[]): SessionEntry | null {
  const known = entries.filter((entry) => entry !== null);
  return known.sort((a, b) => Date.parse(b.last_used) - Date.parse(a.last_used))[0] ?? null;
}

/** Searches by the id alone, because a session that was adopted does not contain the tag's line. */
async function notedAs(run: Asker, sessions: Sessions, noted: SessionEntry | null): Promise<Resolved | null> {
  const { open, stage, context } = run;
  const { environment } = context;
  if (noted === null || sessions.isGivenUp(stage.tool, noted.session_id)) return null;
  const session = await findSession(stage.tool, noted.session_id, { environment, cwd: open.cwd });
  return session === null ? null : judged(run, 'recovered', noted);
}

async function activeSession(run: Asker, tag: string, sessions: Sessions): Promise<Resolved | null> {
  const { open, stage, context } = run;
  const { environment } = context;
  const { boundToCwd } = await adapterOf(stage.tool).sessions();
  const entry = sessions.entry(tag, stage.tool, boundToCwd ? open.cwd : null, stage.account);
  if (entry === null) return null;
  // The CLI's own files decide, since an entry may be from a version that did not check.
  const elsewhere = await worksElsewhere(stage.tool, entry.session_id, { environment, cwd: open.cwd });
  if (elsewhere !== null) return { use: 'new', replaced: leftIn(entry, elsewhere) };
  return judged(run, 'resumed', entry);
}

/** The session of the tag that was used last in another folder or account. */
async function sessionElsewhere(
  { open, stage }: Asker,
  tag: string,
  sessions: Sessions,
): Promise<ReplacedSession | null> {
  const { boundToCwd } = await adapterOf(stage.tool).sessions();
  const isElsewhere = ({ cwd, account }: SessionEntry) =>
    account !== stage.account || (boundToCwd && !isSameFolder(cwd, open.cwd));
  const others = sessions
    .entries()
    .filter((each) => each.tag === tag && each.tool === stage.tool && isElsewhere(each.entry))
    .sort((a, b) => Date.parse(a.entry.last_used) - Date.parse(b.entry.last_used));
  const last = others.at(-1)?.entry;
  if (last === undefined) return null;
  return last.account === stage.account ? leftIn(last, last.cwd) : ofOtherAccount(last);
}

/** The session that an earlier task of the tag has recorded, if sessions.json is lost or is on another machine. */
function absentSession({ open, stage }: Asker, tag: string, sessions: Sessions): ReplacedSession | null {
  const entry = isLost(sessions) ? notedOfTag(open.stateFolder, stage.tool, tag) : null;
  if (entry === null || sessions.isGivenUp(stage.tool, entry.session_id)) return null;
  return { entry, because: 'absent', why: `${stage.tool} does not have it here` };
}

const ofOtherAccount = (entry: SessionEntry): ReplacedSession => ({
  entry,
  because: 'account',
  why: `it belongs to ${entry.account === undefined ? 'the login of the environment' : `the account ${entry.account}`}`,
});

const leftIn = (entry: SessionEntry, folder: string): ReplacedSession => ({
  entry,
  because: 'folder',
  why: `it works in ${folder}`,
});

async function foundSession(run: Asker, tag: string, sessions: Sessions): Promise<Resolved | null> {
  const { open, stage, context } = run;
  const { environment, clock } = context;
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
  const { session } = found;
  return judged(run, 'recovered', freshEntry(run, tag, session.id, new Date(session.changedAtMs), found));
}

function judged({ open, stage }: Asker, use: 'named' | 'resumed' | 'recovered', entry: SessionEntry): Resolved {
  // An id may be named, or noted by hand.
  if (entry.account !== stage.account) return { use: 'new', replaced: ofOtherAccount(entry) };
  const fitness = fitnessOf(entry, rowOf(open.project.sessions.context_limit, stage.tool, CONTEXT_LIMIT_TOKENS));
  return fitness.how === 'ready' ? { use, entry } : { use: 'new', replaced: { entry, ...fitness } };
}

export const freshEntry = (
  { open, stage }: { open: OpenTask; stage: StageRun['stage'] },
  tag: string,
  id: string,
  at: Date,
  counted?: Parameters<typeof newEntry>[4],
): SessionEntry => ({
  ...newEntry(id, tag, open.cwd, at, counted),
  ...(stage.account === undefined ? {} : { account: stage.account }),
});
