// Follows the session file of a running call, in which its CLI counts the tokens of each request to the model.

import path from 'node:path';
import type { EngineEvent } from '../../policies/facts/engine-event.ts';
import { createLineSplitter } from '../line-splitter.ts';
import { type Follower, follow, watchFolder } from './follow.ts';

export interface UsageLog {
  /** It also shows how each message ended, so that it is read for every call, not only for one with a cap. */
  endsMessages?: true;
  /** Makes a reader of the file's lines. Lines from before this time belong to earlier calls of the session. */
  createReader(since: Date): (line: string) => EngineEvent[];
}

/** Where the requests of one call are counted. */
export interface UsageSource {
  log: UsageLog;
  since: Date;
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

/** A file that cannot be read yields nothing. @param onFound called when there is something to read. */
export function followUsage(
  source: UsageSource,
  take: (events: readonly EngineEvent[]) => void,
  onFound: () => void,
): UsageFollower {
  let sessionId = source.sessionId;
  let follower: Follower | null = null;
  let stopWatching = () => {};
  let closed = false;
  let searching: Promise<void> | null = null;
  const readLine = source.log.createReader(source.since);
  const search = async (id: string) => {
    const file = await source.find(id);
    if (file === null || closed || follower !== null) return;
    follower = follow(
      file,
      createLineSplitter(MAX_LINE, 'all', (line) => take(readLine(line))),
    );
    stopWatching = watchFolder(path.dirname(file), onFound);
    onFound();
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
      stopWatching();
      follower?.close();
    },
  };
}

/** A longer line is not read: it has tens of megabytes of text. */
const MAX_LINE = 64 * 1024 * 1024;
