// Follows the session file of a running call, in which its CLI counts the tokens of each request to the model.

import path from 'node:path';
import type { EngineEvent, ReportedUsage, RequestUsage } from '../../policies/facts/engine-event.ts';
import { createLineSplitter } from '../line-splitter.ts';
import { type Follower, follow, watchFolder } from './follow.ts';

export interface UsageLog {
  /** It also shows how each message ended, so that it is read for every call, not only for one with a cap. */
  endsMessages?: true;
  /** For the session of a sub-agent, of which the event stream counts no request. It may begin with a copy of the call's own. */
  createAgentReader?(since: Date, id: string): (line: string) => EngineEvent[];
  /** Makes a reader of the file's lines. Lines from before this time belong to earlier calls of the session. */
  createReader(since: Date): (line: string) => EngineEvent[];
}

/** Where the requests of one call are counted. */
export interface UsageSource {
  log: UsageLog;
  since: Date;
  /** `if_sub_agents`: not before there is a sub-agent, since the stream has all that is needed. */
  when: 'at_once' | 'if_sub_agents';
  /** The id of the session, if it is known before the call. */
  sessionId: string | null;
  /** The path of a session's file; null while there is none. */
  find(sessionId: string): Promise<string | null>;
}

interface UsageFollower {
  /** The CLI has named its session. */
  named(sessionId: string): void;
  /** Reads on. Returns whether there is more to read at once. */
  advance(): boolean;
  /** Looks for the file once more, and reads what is there. */
  seek(): Promise<void>;
  /** Takes a last line that has no line end. */
  finish(): void;
  close(): void;
}

/** Follows the session of a call, and those of its sub-agents. */
export function followSessions(
  source: UsageSource | undefined,
  take: (events: readonly EngineEvent[]) => void,
  onFound: () => void,
) {
  const { log, since } = source ?? {};
  let session = source?.sessionId ?? null;
  let main: UsageFollower | null = null;
  const agents = new Map<string, UsageFollower>();
  const own = new Set<string>();
  const requests = new Map<string, Partial<RequestUsage>>();
  // The sessions of a call and its sub-agents are mostly in one folder.
  const watched = new Map<string, () => void>();
  const found = (folder: string) => {
    if (!watched.has(folder)) watched.set(folder, watchFolder(folder, onFound));
    onFound();
  };
  const begin = (from: UsageSource) => {
    const takeOwn = (events: readonly EngineEvent[]) => {
      for (const event of events) if (event.how === 'spent') own.add(event.request);
      take(events);
    };
    main ??= followUsage({ ...from, sessionId: session }, from.log.createReader(from.since), takeOwn, found);
  };
  const takeAgent = (events: readonly EngineEvent[]) => {
    for (const event of events) if (event.how === 'spent') requests.set(event.request, event.used);
    take(events);
  };
  const all = () => [...(main === null ? [] : [main]), ...agents.values()];
  if (source?.when === 'at_once') begin(source);
  return {
    /** The CLI has named its session. */
    named(id: string) {
      session = id;
      main?.named(id);
    },
    /** @param id of a sub-agent, which is also that of its session. */
    joined(id: string) {
      if (source === undefined || !log?.createAgentReader || agents.has(id) || agents.size === MOST_AGENTS) return;
      begin(source);
      const readLine = log.createAgentReader(since!, id);
      agents.set(id, followUsage({ ...source, sessionId: id }, readLine, takeAgent, found));
    },
    /** What the sub-agents used so far; null if there are none. */
    ofAgents(): ReportedUsage | null {
      const used = [...requests].flatMap(([request, one]) => (own.has(request) ? [] : [one]));
      if (used.length === 0) return null;
      const sum = (count: 'input_tokens' | 'cached_tokens' | 'output_tokens') =>
        used.reduce((total, one) => total + (one[count] ?? 0), 0);
      const [input_tokens, output_tokens] = [sum('input_tokens'), sum('output_tokens')];
      const cached_tokens = sum('cached_tokens');
      return { input_tokens, cached_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
    },
    /** Reads on. Returns whether there is more to read at once. */
    advance: () =>
      all()
        .map((one) => one.advance())
        .includes(true),
    /** Looks for the files once more, and reads what is there. */
    seek: async () => {
      // The session of a sub-agent may name others.
      for (let known = -1; known !== agents.size; ) {
        known = agents.size;
        await Promise.all(all().map((one) => one.seek()));
      }
    },
    finish() {
      for (const one of all()) one.finish();
    },
    close() {
      for (const stop of watched.values()) stop();
      for (const one of all()) one.close();
    },
  };
}

/** Each has an open file. */
export const MOST_AGENTS = 100;

/** A file that cannot be read yields nothing. @param onFound called with the folder of the file. */
function followUsage(
  source: UsageSource,
  readLine: (line: string) => EngineEvent[],
  take: (events: readonly EngineEvent[]) => void,
  onFound: (folder: string) => void,
): UsageFollower {
  let sessionId = source.sessionId;
  let follower: Follower | null = null;
  let closed = false;
  let searching: Promise<void> | null = null;
  const search = async (id: string) => {
    const file = await source.find(id);
    if (file === null || closed || follower !== null) return;
    follower = follow(
      file,
      createLineSplitter(MAX_LINE, 'all', (line) => take(readLine(line))),
    );
    onFound(path.dirname(file));
  };
  const look = (): Promise<void> => {
    if (sessionId === null || follower !== null) return Promise.resolve();
    searching ??= search(sessionId)
      .catch(() => {})
      .finally(() => {
        searching = null;
      });
    return searching;
  };
  return {
    named(id) {
      sessionId = id;
    },
    advance() {
      if (!closed) void look();
      return follower?.advance() ?? false;
    },
    async seek() {
      // A search that has already begun may have looked too early.
      await searching;
      await look();
      while (follower?.advance());
    },
    finish: () => follower?.finish(),
    close() {
      closed = true;
      follower?.close();
    },
  };
}

/** A longer line is not read: it has tens of megabytes of text. */
const MAX_LINE = 64 * 1024 * 1024;
