// Lists the sessions of the last 7 days that can be adopted: from their CLI's own list, or else from its files.

import type { Tool } from '../../policies/facts/tools.ts';
import { sessionTitle } from '../../policies/session/session-entry.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import type { OwnListed, SessionStore } from '../../wrappers/sessions/store.ts';
import { redactorOf } from '../redactor.ts';
import { LOOK_BACK_MS } from './find-again.ts';
import { quietly } from './own-files.ts';

/** `when` is in words, or an ISO time. */
export interface Adoptable extends OwnListed {
  tool: Tool;
}

interface AdoptableAsking {
  cwd: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
}

/** Returns sessions with redacted titles, and a sentence for each tool whose list is not available. */
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
