// What is known of a CLI's own session files: the same verbs for all, over very different files.

import type { ReportedUsage } from '../../policies/facts/engine-event.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import type { ContextTokens, Flaw, Turn } from '../../policies/session/conversation.ts';

/** Whose sessions, and from where a resume would look for them. */
export interface Lookup {
  environment: NodeJS.ProcessEnv;
  cwd: string;
}

export interface SessionFile {
  tool: Tool;
  id: string;
  file: string;
  /** The working folder that a resume would work in, or else the one that it began in; null where nothing says. */
  cwd: string | null;
  /** The version of the CLI that began it; null where the file does not say. */
  cliVersion: string | null;
  bytes: number;
  changedAtMs: number;
}

/** A session as its CLI lists it; `when` is in words. */
export interface OwnListed {
  id: string;
  when: string;
  title: string;
}

/** A text: why there is none, as a sentence. */
export type OwnList = OwnListed[] | string;

export interface SessionStore {
  tool: Tool;
  /** Is a session good for one folder alone: found only from there (gemini), or worked in wherever it is resumed (copilot)? */
  boundToCwd: boolean;
  /** Does the CLI know no session but those that have a file here? */
  isLocal: boolean;
  /** Does the CLI hold a lock on the session that it uses, or say so in a file? Otherwise its folder and the time show it, and Tollgate itself may be the cause of both. */
  takesLock: boolean;
  /** The file of a session; null where the CLI has none of that id. One bound to a folder is looked for everywhere: `cwd` tells where. */
  find(id: string, lookup: Lookup): Promise<SessionFile | null>;
  /** The sessions that a resume from `cwd` would find and that changed since, the newest first. Omits unreadable ones. */
  recent(lookup: Lookup, since: Date): Promise<SessionFile[]>;
  /** Links in its store: its CLI may read what they lead to, and we do not. At most 5. */
  links(lookup: Lookup): string[];
  /** The CLI's own list of those of a week, which alone tells what it would resume; null where its files tell. `say` gets what that may cost. */
  ask: ((lookup: Lookup, say: (sentence: string) => void) => Promise<OwnList>) | null;
  /** Reads no more than the beginning of the file. null where there is no prompt, or none that can be read. */
  firstPrompt(session: SessionFile): string | null;
  /** Throws SessionFileError on a file that is no session of this CLI, or of a format that we do not know. */
  open(session: SessionFile): Conversation;
  /** The text of a session's file with another id; null for a CLI that continues an empty session, which needs no such file. */
  renamed: ((text: string, from: string, to: string) => string) | null;
  /** The process that uses it now, as half a sentence ("codex holds its lock"); null if there seems to be none. */
  usedBy(session: SessionFile, lookup: Lookup, now: Date): Promise<string | null>;
  /** For a CLI without a lock: the process that was started with this session, as half a sentence; null if there seems to be none. */
  namedBy?(session: SessionFile, lookup: Lookup): string | null;
}

/** One session file as it was when it was opened. */
export interface Conversation {
  session: SessionFile;
  /** How many turns stand. */
  turns: number;
  /** Turns `from` to `to`, both included, from 1. */
  read(from: number, to: number): Turn[];
  /** Of the last model request in the session. */
  contextTokens(): ContextTokens | null;
  /** Over all model requests in the file; null where it does not count. */
  totalTokens(): number | null;
  /** What its CLI has counted over the session so far, where its event stream goes on counting from there; null for one that counts each call. */
  countedSoFar(): ReportedUsage | null;
  /** What a resume by this version of the CLI would send wrongly; null: an unknown version, so this cannot be determined. */
  flaws(cliVersion: string | null): Flaw[] | null;
  /** Makes it well-formed in the gentlest way: what was said and done stays. */
  repair(flaws: readonly Flaw[]): Edit;
  /** Goes back to before the prompt of this turn. */
  before(turn: number): Edit;
  /** Takes back what the model made of this turn's prompt, and all later turns; the prompt stays. */
  afterPrompt(turn: number): Edit;
  /** Takes back the last entry alone: a prompt without an answer, or the last step (a model message with its tool calls and responses). */
  withoutLastStep(): Edit;
}

/** The turns of a conversation, whose entries are all in memory. `entryOf` throws for a turn that is not among them. */
export const turnsOf = <Entry>(entries: readonly Entry[], readTurn: (number: number, entry: Entry) => Turn) => ({
  turns: entries.length,
  read: (from: number, to: number) => {
    const first = Math.max(1, from);
    return entries.slice(first - 1, Math.max(0, to)).map((entry, at) => readTurn(first + at, entry));
  },
  entryOf(turn: number): Entry {
    const entry = entries[turn - 1];
    if (entry === undefined) throw new RangeError(`there is no turn ${turn} among ${entries.length}`);
    return entry;
  },
});

/** A change of a session file as a plan: nothing is written here. Offsets are bytes of the file as it was opened. */
export type Edit =
  /** Whole lines, each with its newline. */
  | { how: 'append'; text: string }
  | { how: 'cut'; atByte: number }
  /** For a file that is one document. */
  | { how: 'replace'; text: string }
  /** There is nothing to change. */
  | { how: 'none' }
  /** `why` is a whole sentence that says what to do instead. */
  | { how: 'impossible'; why: string };

/** Names the file, what is wrong with it and, where it is known, the version that wrote it. The file is untouched. */
export class SessionFileError extends Error {
  readonly file: string;
  constructor(file: string, what: string) {
    super(`${file}: ${what}`);
    this.name = 'SessionFileError';
    this.file = file;
  }
}

/** Not by its class: each bundle that is loaded lazily has one of its own. */
export const isSessionFileError = (error: unknown): error is SessionFileError =>
  error instanceof Error && error.name === 'SessionFileError';
