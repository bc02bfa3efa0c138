// Finds a tag's session in the CLI's own files if no record says which one it is.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { headerOf, isOf } from '../../policies/session/session-entry.ts';
import { isSameFolder, isWithin, realOr } from '../../state/disk/real-folder.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import type { Conversation, Lookup, SessionFile, SessionStore } from '../../wrappers/sessions/store.ts';
import { type Counted, countIn, lookInto, quietly } from './own-files.ts';

interface WantedSession {
  tool: Tool;
  tag: string;
  goal: string;
  /** Sessions that began elsewhere belong to another project. */
  trees: readonly string[];
  lookup: Lookup;
  isGivenUp(id: string): boolean;
  now: Date;
}

interface RecoveredSession extends Counted {
  session: SessionFile;
}

export const LOOK_BACK_MS = 7 * 86_400_000;
/** Each costs a read of its beginning. */
const MAX_LOOKED_AT = 500;

/** Returns the newest session of the last 7 days with at least one answer; null if there is none. */
export async function recoverSession(wanted: WantedSession): Promise<RecoveredSession | null> {
  const { tool, tag, goal, lookup, now, isGivenUp } = wanted;
  const store = await adapterOf(tool).sessions();
  const recent = (await quietly(() => store.recent(lookup, new Date(now.getTime() - LOOK_BACK_MS)))) ?? [];
  const expected = { headers: headersOf(tool, tag), goal };
  for (const session of recent.slice(0, MAX_LOOKED_AT)) {
    if (isGivenUp(session.id) || !isForUs(session, store, wanted)) continue;
    const prompt = await quietly(() => store.firstPrompt(session));
    if (prompt === null || !isOf(prompt, expected)) continue;
    const counted = await lookInto(tool, session, (conversation) =>
      isAnswered(conversation) ? countIn(conversation) : null,
    );
    if (counted !== null) return { session, ...counted };
  }
  return null;
}

/** Returns the header as written, and as it was sent to the CLI. */
function headersOf(tool: Tool, tag: string): string[] {
  const header = headerOf(tag);
  const sent = adapterOf(tool).prompt.escape(Buffer.from(header).toString('latin1'));
  return [header, Buffer.from(sent, 'latin1').toString()];
}

/** Looks at all turns, because the last one may have failed. */
function isAnswered(conversation: Conversation): boolean {
  const { turns } = conversation;
  for (let to = turns; to > 0; to -= LOOK_TURNS) {
    const read = conversation.read(Math.max(1, to - LOOK_TURNS + 1), to);
    if (read.some(({ items }) => items.some(({ how }) => how === 'said'))) return true;
  }
  return false;
}

const LOOK_TURNS = 20;

/** A session that is bound to its folder is only for that folder; any other is for the whole tree. */
function isForUs({ cwd }: SessionFile, { boundToCwd }: SessionStore, { trees, lookup }: WantedSession): boolean {
  if (boundToCwd) return cwd === null || isSameFolder(cwd, lookup.cwd);
  return trees.some((tree) => isOurs(cwd, tree, lookup));
}

/** A folder below the tree with its own tasks is another project, unless this process works in it. */
function isOurs(folder: string | null, tree: string, { cwd }: Lookup): boolean {
  if (folder === null) return false;
  const [root, real] = [realOr(tree), realOr(folder)];
  if (!isWithin(root, real)) return false;
  for (let at = real; at !== root; at = path.dirname(at))
    if (existsSync(path.join(at, '.tmp/task')) && !isWithin(at, realOr(cwd))) return false;
  return true;
}
