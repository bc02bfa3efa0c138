// Describes one guarded call as its caller requests it: the wrapper's flags, read and checked.

import type { CallLimits } from '../../policies/manifest/call-terms.ts';
import type { Omission } from '../../policies/prompt/omissions.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import type { OwnRow } from '../../policies/verdict/own-row.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import type { Adapter, CallRequest } from '../../wrappers/adapter.ts';
import type { Observer } from '../../wrappers/run.ts';

export interface WrapperRequest {
  /** The id from the dispatcher; null for a call outside a run. */
  callId: string | null;
  /** The id of a call outside a run, if its caller already chose one. */
  ownId?: string;
  adapter: Adapter;
  call: CallRequest;
  /** The tag under which its session is stored, and the project's `.tmp`; absent for a call of a task, or without a tag. */
  tag?: { name: string; stateFolder: string };
  /** Called after the result is published, or could not be; a sweep still finds the call if this process is killed. */
  published?: (record: CallRecord) => Promise<void>;
  /** A piped prompt, or why it did not arrive; if absent, the prompt is read from its file. */
  piped?: Buffer | { unread: string };
  /** Text to send before the prompt; absent if there is none. */
  before?: string;
  files: {
    prompt: string;
    out: string;
    err: string;
    result: string | null;
    sessionIdOut: string | null;
    doneMarker: string | null;
    pidFile: string | null;
  };
  limits: CallLimits;
  /** The task whose budget pays; null for a call without a task. */
  charge: Charge | null;
  /** The user's own patterns of text that must not be published. */
  redactionPatterns: string[];
  /** The project's rows that its dispatcher uses to classify; empty for a call outside a run. */
  ownRows: readonly OwnRow[];
  /** Notes about the prompt from its composer. */
  composed: { warnings: readonly string[]; leftOut: readonly Omission[] };
  /** Whether the CLI's raw output stays in the attempt. Otherwise it is removed after it is published without secrets. */
  keepRaw: boolean;
  /** Whether its requests go through our relay, so that a failed one can be logged as it was sent. */
  recordRequests: boolean;
  /** Whether the call starts although another call found that the service would refuse it; false if absent. */
  ignoreHold?: boolean;
  /** The command line that repeats the call, and its task as the caller named it; absent if no user typed it. */
  typed?: { command: string; given: string; task: string | null };
  /** Receives what the call waits in line for, and which limits are nearly used up; absent if there is no listener. */
  say?(sentence: string): void;
  /** Receives the events of the CLI as they are read; absent if no one watches the call. */
  watch?: Observer['observed'];
}

export interface Charge {
  task: TaskFolder;
  stage: string;
  /** The run that makes the request, and the hash of the stage's prompt to be answered; null for a call outside a run. */
  runId: string | null;
  forPrompt: string | null;
  /** How many calls its agent may charge to this task from within it; none if absent. */
  nestedCalls?: number;
}

/** The terms with which a call was sent, as the run that waits for it knows them. */
export interface SentTerms {
  limits: CallLimits;
  /** By the steady clock. */
  atMs: number;
}

/** How much of a prompt is read: no CLI accepts as much, and a larger file is not read at all. */
export const MAX_PROMPT_BYTES = 64 * 1024 ** 2;
