// What the runner must know about a CLI: one literal row each, the same keys in the same order.

import type { ErrorClass } from '../policies/facts/classes.ts';
import type { EngineEvent, Usage } from '../policies/facts/engine-event.ts';
import type { Denial, Requirements } from '../policies/facts/requirements.ts';
import type { Tool } from '../policies/facts/tools.ts';
import type { OwnToolRow } from '../policies/own-tool/description.ts';
import type { Feature } from './feature.ts';
import type { EndedCli } from './own/conclude.ts';
import type { OwnFlag, OwnValues } from './own-flags.ts';
import type { SessionStore } from './sessions/store.ts';
import type { SignIn, Surroundings } from './sign-in/sign-in.ts';

export type Access = 'read' | 'write' | 'full';

/** One call as the caller wants it, checked: no value begins with a dash. */
export interface CallRequest {
  model: string | null;
  /** Goes on in this session. */
  resumeSession: string | null;
  /** The id for a new session, for a CLI that takes one in advance. */
  newSession: string;
  access: Access;
  maxTurns: number | null;
  innerRetries: 'cut' | 'allow';
  /** What an answer alone does not meet; absent where nothing else is required. */
  requires?: Requirements;
  trustWorkspace: boolean;
  cwd: string;
  /** The environment that the CLI would inherit. */
  environment: NodeJS.ProcessEnv;
  /** What was given of the flags that its CLI alone understands. */
  own: OwnValues;
}

/** What decides whether a CLI may start in a folder. */
export type FolderRequest = Pick<CallRequest, 'trustWorkspace' | 'cwd' | 'environment'>;

/** What a row finds out about the user's own configuration before it builds the call; it only reads. */
export interface Overlay {
  argv: string[];
  environment: Record<string, string>;
  /** Folders made for this one call, deleted after it. */
  folders: string[];
  warnings: string[];
}

export interface PromptLimit {
  unit: 'characters' | 'bytes';
  max: number;
}

export interface Adapter {
  tool: Tool;
  /** The name of the wrapper's command. */
  command: string;
  binary: string;
  /** The npm package, by which the version of an installed binary is known without starting it. */
  packageName: string;
  /** Each flag, setting, variable and event that it relies on, and since when the CLI has it. */
  features: readonly Feature[];
  defaultTimeoutMs: number;
  /** Flags of its command that it alone understands; a field of a stage by the name of one goes with them. */
  own: Readonly<Record<string, OwnFlag>>;
  /** @param overlay what the overlay adds, to stand where the CLI takes it. */
  argv(request: CallRequest, overlay: readonly string[]): string[];
  environment(request: CallRequest): Record<string, string>;
  /** Turns the CLI's inner retries down for this call, and whatever else needs a look at the user's configuration. */
  overlay(request: CallRequest): Overlay;
  /** Why we do not start it in a folder that is not trusted, as a sentence without its full stop; null where we do. */
  distrusts(request: FolderRequest): string | null;
  /** The same where the CLI itself refuses before it asks anything, as far as its own files tell. */
  refusesFolder(request: FolderRequest): string | null;
  /** How it is signed in; null of one that a project describes. */
  signIn: ((surroundings: Surroundings) => SignIn) | null;
  /** The files of its package that are its program. A script of the same name may trust and sign in by itself. */
  entries: readonly string[];
  prompt: {
    /** Ours read it from stdin: it stays out of the process list and has no argument limit. `file`: an argument names the file. */
    via: 'stdin' | 'file';
    /** The bytes to send, as latin1 text, so that what the CLI receives is what was written. */
    escape(text: string): string;
    limit: PromptLimit | null;
  };
  /** One line of the event stream on stdout. */
  readEvent(line: string): EngineEvent[];
  /** The whole of stdout, for a call that was made without the stream; null where it is no such document. */
  readDocument(text: string): EngineEvent[] | null;
  /** One line of stderr, for what is only announced there; null where nothing is. */
  readStderr: ((line: string) => EngineEvent[]) | null;
  /** A file in which it logs what is on neither stream: the variable that names it, and one line of it; null: none is needed. */
  log: { variable: string; readLine(line: string): EngineEvent[] } | null;
  /** Why a server that the call requires cannot be there, as its files tell before it is started; null where they do not. */
  missingServer(request: CallRequest): string | null;
  /** What allows a tool that was denied; null where there is no way, or none is known. */
  allows(denial: Denial, request: CallRequest): Permission | null;
  /** A file in which the CLI counts what the event stream does not: the argument that asks for it, and how to read it. */
  usageFile: { argument(file: string): string; read(text: string): Partial<Usage> } | null;
  /** What it counts of tokens: this call, or the whole session so far. */
  usageCounts: 'call' | 'session';
  /** Is the session's id known before the call (`chosen`), or told by the CLI (`announced`)? */
  sessionId: 'chosen' | 'announced';
  /** Its session files; loaded by who looks into them. */
  sessions(): Promise<SessionStore>;
  /** How a request goes to its service; loaded by who records it. */
  route(): Promise<(request: CallRequest) => Route>;
  /** Did the CLI refuse its input by itself, before anything was asked? */
  refusedInput(ended: { exitCode: number | null; class: ErrorClass | null; requests: number | null }): boolean;
  /** A report of a failure that it leaves in its $TMPDIR, by how its name begins; `read` throws on what is none. null: it leaves none. */
  failureReport: { begins: string; read(text: string): FailureReport } | null;
  /** Between the announcement of a retry and the retry: does it wait, so that it can be told to end, or ask again at once? */
  asksAgain: 'after a wait' | 'at once';
  /** How long the CLI may take to exit after its terminal event. */
  lingerMs: number;
  /** Of a CLI that a project describes; absent of ours. */
  described?: {
    row: OwnToolRow;
    /** What its end tells that no event told. */
    conclude(ended: EndedCli): EngineEvent[];
    /** Why this call cannot be made of it, as a sentence; or null. */
    takes(request: CallRequest): string | null;
  };
}

/** A flag of our command and its value; `--deny-tool` is one to take away. */
export type Permission =
  | {
      flag: 'access' | 'allow-tool' | 'deny-tool' | 'cwd';
      value: string;
      also?: 'allow-commit';
      orForCommit?: 'allow-commit';
    }
  | { flag: 'allow-commit' };

export interface FailureReport {
  stack: string | null;
  /** null where the report has none. */
  conversation: unknown[] | null;
}

/** How a call can be sent through a relay of ours to the service that it would ask anyway; or why it cannot, as half a sentence. */
export type Route =
  | {
      how: 'directed';
      /** The base URL that the CLI would use. */
      upstream: string;
      /** The overlay with what sends the CLI to the relay. */
      through(relay: string, overlay: Overlay): Overlay;
    }
  | { how: 'fixed'; because: string };

export const NO_OVERLAY: Overlay = { argv: [], environment: {}, folders: [], warnings: [] };
