// Lists the sessions that are stored under tags, with facts from their CLIs' own files.

import type { Tool } from '../../policies/facts/tools.ts';
import type { SessionEntry } from '../../policies/session/session-entry.ts';
import { readSessions } from '../../state/sessions/sessions-file.ts';
import { installedVersion } from './health.ts';
import { findSession, lookInto } from './own-files.ts';

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
  for (const { tag, tool, entry } of entries())
    sessions.push({ tag, tool, entry, ...(await looked(tool, entry, environment)) });
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
