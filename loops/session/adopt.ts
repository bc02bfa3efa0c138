// Lists the sessions under tags and those that can be adopted, and adopts one that the user names.

import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { newEntry, type SessionEntry, sessionTitle } from '../../policies/session/session-entry.ts';
import { environmentsOfAccounts } from '../../state/accounts.ts';
import { isSameFolder } from '../../state/disk/real-folder.ts';
import { readSessions } from '../../state/sessions/sessions-file.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import type { OwnListed, SessionStore } from '../../wrappers/sessions/store.ts';
import { redactorOf } from '../redactor.ts';
import { changeSessions } from './change-sessions.ts';
import { LOOK_BACK_MS } from './find-lost-session.ts';
import { installedVersion } from './health.ts';
import { countTokens, findSession, lookInto, quietly } from './own-files.ts';

interface Adopting {
  stateFolder: string;
  cwd: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  tag: string;
  tool: Tool;
  id: string;
}

/** `warnings`: problems of the file before the change, in sentences. */
type Adopted = { how: 'found'; entry: SessionEntry; warnings: readonly string[] } | { how: 'invalid'; message: string };

/** Writes the tag's entry in sessions.json; `invalid` with a sentence if the CLI has no such session. */
export async function adoptSession(adopting: Adopting): Promise<Adopted> {
  const { stateFolder, cwd, environment, clock, tag, tool, id } = adopting;
  const lookup = { environment, cwd };
  const session = await findSession(tool, id, lookup);
  if (session === null)
    return {
      how: 'invalid',
      message: `${tool} has no session ${id}; tollgate sessions adopt --list shows what it has`,
    };
  const { boundToCwd } = await adapterOf(tool).sessions();
  const folder = boundToCwd ? (session.cwd ?? cwd) : null;
  const counted = await countTokens(tool, id, lookup);
  const entry = newEntry(session.id, tag, session.cwd ?? cwd, new Date(session.changedAtMs), counted);
  const now = await changeSessions({ stateFolder, taskId: 'adopt', clock }, (all) =>
    all.takingBack(tool, session.id).with(tag, tool, entry, folder),
  );
  if (now.entry(tag, tool, folder)?.session_id === session.id)
    return { how: 'found', entry, warnings: [...now.warnings(), ...elsewhere(adopting, folder)] };
  return { how: 'invalid', message: now.warnings().join('; ') || 'the entry of that tag was not changed' };
}

const elsewhere = ({ tool, id, cwd }: Adopting, folder: string | null): string[] =>
  folder === null || isSameFolder(folder, cwd)
    ? []
    : [
        `${tool} session ${id} works in ${folder}: only tasks that run there continue in it; any other begins one of its own`,
      ];

/** `when` is in words, or an ISO time. */
interface Adoptable extends OwnListed {
  tool: Tool;
}

interface AdoptableAsking {
  cwd: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
}

/**
 * Lists the sessions of the last 7 days: from their CLI's own list, or else from its files. Returns them with redacted titles, and
 * a sentence for each tool whose list is not available.
 */
export async function listAdoptable(asking: AdoptableAsking, tools: readonly Tool[], say: (sentence: string) => void) {
  const sessions: Adoptable[] = [];
  const problems: string[] = [];
  for (const tool of tools) {
    const store = await adapterOf(tool).sessions();
    const listed = (await store.ask?.(asking, say)) ?? (await fromFiles(asking, store));
    if (typeof listed === 'string') problems.push(listed);
    else sessions.push(...listed.map((session) => ({ tool, ...session })));
  }
  const { redact } = redactorOf(asking.environment, []);
  return {
    sessions: sessions.map((session) => ({ ...session, title: redact(sessionTitle(session.title)) })),
    problems,
  };
}

async function fromFiles({ cwd, environment, clock }: AdoptableAsking, store: SessionStore): Promise<OwnListed[]> {
  const since = new Date(clock().getTime() - LOOK_BACK_MS);
  const recent = (await quietly(() => store.recent({ environment, cwd }, since))) ?? [];
  const listed: OwnListed[] = [];
  for (const session of recent) {
    const title = (await quietly(() => store.firstPrompt(session))) ?? '';
    listed.push({ id: session.id, when: new Date(session.changedAtMs).toISOString(), title });
  }
  return listed;
}

export interface KnownSession {
  tag: string;
  tool: Tool;
  entry: SessionEntry;
  /** null if the CLI's file is gone. */
  file: string | null;
  bytes: number | null;
  turns: number | null;
  /** Whether the service would accept what the CLI sends, in words. */
  health: string;
}

interface LookingAtSessions {
  stateFolder: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
}

/** Sorts the last used first. Changes nothing. */
export async function knownSessions({ stateFolder, environment, clock }: LookingAtSessions) {
  const { entries, warnings } = await readSessions(stateFolder, clock, 'in_place');
  const sessions: KnownSession[] = [];
  const kept = entries();
  const isOfAccounts = kept.some(({ entry }) => entry.account !== undefined);
  const accounts = isOfAccounts ? await environmentsOfAccounts(environment, path.dirname(stateFolder)) : [];
  for (const { tag, tool, entry } of kept) {
    const its = accounts.find(({ name }) => name === entry.account)?.environment ?? environment;
    sessions.push({ tag, tool, entry, ...(await looked(tool, entry, its)) });
  }
  sessions.sort((a, b) => Date.parse(b.entry.last_used) - Date.parse(a.entry.last_used));
  return { sessions, warnings };
}

const GONE = { file: null, bytes: null, turns: null, health: 'unknown' } as const;

async function looked(tool: Tool, entry: SessionEntry, environment: NodeJS.ProcessEnv) {
  const session = await findSession(tool, entry.session_id, { environment, cwd: entry.cwd });
  if (session === null) return GONE;
  const { file, bytes } = session;
  const inside = await lookInto(tool, session, (conversation) => ({
    turns: conversation.turns,
    flaws: conversation.flaws(installedVersion(session, environment)),
  }));
  if (inside === null) return { ...GONE, file, bytes, health: 'cannot be read' };
  const { turns, flaws } = inside;
  const health =
    flaws === null
      ? 'unknown'
      : flaws.length === 0
        ? 'well-formed'
        : `${flaws.length} ${flaws.length === 1 ? 'flaw' : 'flaws'}; repaired before the session continues`;
  return { file, bytes, turns, health };
}
