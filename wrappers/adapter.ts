// Defines what the runner must know about a CLI. Each CLI has one literal row, with the same keys in the same order.

import type { ErrorClass } from '../policies/facts/classes.ts';
import type { EngineEvent, ReportedUsage } from '../policies/facts/engine-event.ts';
import { type ExitCodes, WRAPPER_EXIT } from '../policies/facts/exit-codes.ts';
import type { Denial, Requirements } from '../policies/facts/requirements.ts';
import type { BuiltIn, Tool } from '../policies/facts/tools.ts';
import type { OwnToolRow } from '../policies/rules/described-cli.ts';
import type { Feature } from './feature.ts';
import type { UsageLog } from './following/usage-log.ts';
import type { EndedCli } from './own/conclude.ts';
import type { OwnFlag, OwnValues } from './own-flags.ts';
import type { SessionStore } from './sessions/store.ts';
import type { SignIn, Surroundings } from './sign-in.ts';

export type Access = 'read' | 'write' | 'full';

/** One checked call, as the caller wants it: no value begins with a dash. */
export interface CallRequest {
  model: string | null;
  /** The session that the call continues. */
  resumeSession: string | null;
  /** The id for a new session, for a CLI that takes one in advance. */
  newSession: string;
  access: Access;
  maxTurns: number | null;
  /** US dollars, for a CLI that knows its prices; absent if there is no cap. */
  maxUsd?: number;
  innerRetries: 'cut' | 'allow';
  /** What the caller requires besides an answer; absent if nothing else is required. */
  requires?: Requirements;
  trustWorkspace: boolean;
  cwd: string;
  /** The environment that the CLI would inherit. */
  environment: NodeJS.ProcessEnv;
  /** The values given for the flags that only this CLI understands. */
  own: OwnValues;
}

/** What decides whether a CLI may start in a folder. */
export interface FolderRequest {
  trustWorkspace: boolean;
  cwd: string;
  environment: NodeJS.ProcessEnv;
}

/** What a row learns from the user's own configuration before it builds the call. The row only reads the configuration. */
export interface Overlay {
  argv: string[];
  environment: Record<string, string>;
  /** Folders made for this one call. They are deleted after it. */
  folders: string[];
  warnings: string[];
}

/** Variables that a call sets; undefined: one that the CLI must not inherit from the user. */
export type OwnVariables = Record<string, string | undefined>;

export interface PromptLimit {
  unit: 'characters' | 'bytes';
  max: number;
}

export interface Adapter {
  tool: Tool;
  /** The name of the wrapper's command. */
  command: string;
  binary: string;
  /** The words of tollgate.yaml that start it in a container or a sandbox; absent if it is started directly. */
  prefix?: readonly string[];
  /** The npm package. It gives the version of an installed binary without starting the binary. */
  packageName: string;
  /** Each flag, setting, variable and event that the row relies on, and the first CLI version that has it. */
  features: readonly Feature[];
  defaultTimeoutMs: number;
  /** Flags of the command that only this CLI understands. A stage field with the name of such a flag sets it. */
  own: Readonly<Record<string, OwnFlag>>;
  /** @param overlay the arguments of the overlay, to be placed where the CLI accepts them. */
  argv(request: CallRequest, overlay: readonly string[]): string[];
  environment(request: CallRequest): OwnVariables;
  /** Reduces the CLI's inner retries for this call, and does whatever else depends on the user's configuration. */
  overlay(request: CallRequest): Overlay;
  /** Why Tollgate starts no CLI in an untrusted folder, a sentence without its full stop; null if it does. */
  distrusts(request: FolderRequest): string | null;
  /** The same for a folder that the CLI itself refuses before any request, as far as its own files show. */
  refusesFolder(request: FolderRequest): string | null;
  /** How the CLI is signed in; null for a CLI that a project describes. */
  signIn: ((surroundings: Surroundings) => SignIn) | null;
  /** The files of the CLI's package that are its program. A script of the same name may handle trust and sign-in by itself. */
  entries: readonly string[];
  prompt: {
    /** By stdin a prompt is in no process list, and has no argument limit. `file`: an argument names the file. */
    via: 'stdin' | 'file';
    /** The bytes to send, as latin1 text, so that the CLI receives exactly what was written. */
    escape(text: string): string;
    limit: PromptLimit | null;
  };
  readEvent(line: string): EngineEvent[];
  /** Reads the whole of stdout, for a call made without the stream; null if stdout is not such a document. */
  readDocument(text: string): EngineEvent[] | null;
  /** Reads one line of stderr, for facts that the CLI reports only there; null if there are none. */
  readStderr: ((line: string) => EngineEvent[]) | null;
  /** The file for what is on neither stream; null: none. */
  log: {
    /** What makes the CLI write it: arguments and variables. null: it writes elsewhere, as the user configured it. */
    request(file: string, call: FolderRequest): { argv?: string[]; environment?: Record<string, string> } | null;
    reader(): (line: string) => EngineEvent[];
  } | null;
  /** Why a required server cannot be available, according to the CLI's files before it starts; null if they do not show it. */
  missingServer(request: CallRequest): string | null;
  /** What the CLI leaves out silently because of a mistake in the user's configuration, as far as its files show. */
  ignores(request: FolderRequest): Ignored[];
  /** What allows a denied tool; null if there is no way, or none is known. */
  allows(denial: Denial, request: CallRequest): Permission | null;
  /** A file in which the CLI counts what the event stream does not: the argument that requests it, and its reader. */
  usageFile: { argument(file: string): string; read(text: string): ReportedUsage } | null;
  /** How the CLI itself makes its answer fit a JSON Schema; null if it cannot, so that only the prompt requests it. */
  answerSchema: {
    /** Whether the CLI and its service accept this schema. */
    takes(schema: Readonly<Record<string, unknown>>): boolean;
    /** @param file holds the schema. */
    argv(schema: Readonly<Record<string, unknown>>, file: string): string[];
    /** Whether the CLI's own flag takes JSON, and the CLI refuses what is no schema before any request. */
    refusesItself: boolean;
  } | null;
  /** How the tokens of each request are known while the call runs: from the event stream, from the session's file, or not. */
  liveUsage: 'stream' | UsageLog | null;
  /** Whether the CLI itself ends a call at a cap in US dollars, by its own prices. */
  endsAtUsd: boolean;
  /** What the token counts cover: this call, or the whole session so far. */
  usageCounts: 'call' | 'session';
  /** Whether the session's id is known before the call (`chosen`) or reported by the CLI (`announced`). */
  sessionId: 'chosen' | 'announced';
  /** The CLI's session files. Only code that reads them loads this module. */
  sessions(): Promise<SessionStore>;
  /** How a request reaches the CLI's service. Only code that records requests loads this module. */
  route(): Promise<(request: CallRequest) => Route>;
  /** Whether the CLI itself refused its input before any request. */
  refusedInput(ended: { exitCode: number | null; class: ErrorClass | null; requests: number | null }): boolean;
  /** A failure report in $TMPDIR, by the beginning of its name. `read` throws if it is none. null: there are none. */
  failureReport: { begins: string; read(text: string): FailureReport } | null;
  /** What the CLI does between announcing a retry and retrying: it waits, so that it can be ended, or it retries at once. */
  asksAgain: 'after a wait' | 'at once';
  /** How long the CLI may take to exit after its terminal event. */
  lingerMs: number;
  /** Only for a CLI that a project describes; absent for built-in CLIs. */
  described?: {
    row: OwnToolRow;
    /** What the end of the CLI shows that no event reported. */
    conclude(ended: EndedCli): EngineEvent[];
    /** Reads the lines of one call in their order. */
    reader(): (line: string) => EngineEvent[];
    /** JSON for a file of this call, and the variable that names the file; null if it needs none. */
    settings(request: CallRequest): { variable: string; text: string } | null;
    /** Why the CLI cannot run this call, as a sentence; null if it can. */
    takes(request: CallRequest): string | null;
  };
}

/** A flag of the wrapper's command and its value. For `--deny-tool`, the flag is to be removed, or the rule in the file `where`. */
export type Permission =
  | {
      flag: 'access' | 'allow-tool' | 'deny-tool' | 'cwd';
      value: string;
      also?: 'allow-commit';
      orForCommit?: 'allow-commit';
      where?: string;
    }
  | { flag: 'allow-commit' };

/** A whole file (of settings, which may hold rules that deny, or of MCP servers), or one server. `why`: half a sentence. */
export type Ignored =
  | { what: 'settings' | 'servers'; file: string; why: string }
  | { what: 'server'; name: string; why: string };

export interface FailureReport {
  stack: string | null;
  /** null if the report has none. */
  conversation: unknown[] | null;
}

/** How a call goes through Tollgate's relay to the service that it would use anyway; or why not, as half a sentence. */
export type Route =
  | {
      how: 'planned';
      /** The base URL that the CLI would use. */
      upstream: string;
      /** Adds to the overlay what directs the CLI to the relay. */
      through(relay: string, overlay: Overlay): Overlay;
    }
  | { how: 'fixed'; because: string };

export const NO_OVERLAY: Overlay = { argv: [], environment: {}, folders: [], warnings: [] };

/** The exit codes of the wrapper of a CLI: the published ones, or those that a description gives. */
export const exitCodesOf = ({ tool, described }: Adapter): ExitCodes =>
  described === undefined ? WRAPPER_EXIT[tool as BuiltIn] : { ok: 0, ...described.row.exits, refusedInput: null };
