// One guarded call as its caller asks for it: the wrapper's flags, read and checked.

import type { CallLimits } from '../../policies/manifest/call-terms.ts';
import type { LeftOut } from '../../policies/prompt/left-out.ts';
import type { OwnRow } from '../../policies/verdict/own-row.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import type { Adapter, CallRequest } from '../../wrappers/adapter.ts';

export interface WrapperRequest {
  /** The id that the dispatcher gave it; null for a call of a caller's own. */
  callId: string | null;
  adapter: Adapter;
  call: CallRequest;
  /** A prompt that was piped in, or why it did not come; without either the prompt is read from its file. */
  piped?: Buffer | { unread: string };
  /** What is sent before the prompt; absent where nothing is. */
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
  /** Whose budget pays; null for a call on its own. */
  charge: Charge | null;
  /** Words of the user's own that must not be published. */
  redactionPatterns: string[];
  /** The project's rows by which its dispatcher judges; none for a call of a caller's own. */
  ownRows: readonly OwnRow[];
  /** What whoever composed the prompt has to say of it. */
  composed: { warnings: readonly string[]; leftOut: readonly LeftOut[] };
  /** Whether what the CLI wrote stays in the attempt as it came; else it goes once it is published without secrets. */
  keepRaw: boolean;
  /** Whether its requests go through a relay of ours, so that the one that fails can be logged as it was sent. */
  recordRequests: boolean;
  /** Whether it goes ahead though another call learnt that the service would refuse it; absent where it does not. */
  ignoreHold?: boolean;
  /** The command line that makes the call again, and its task as it was named; absent where the caller typed none. */
  typed?: { command: string; given: string; task: string | null };
  /** Hears what it stands in line for, and which limits are nearly used up; absent where nobody listens. */
  say?(sentence: string): void;
}

export interface Charge {
  task: TaskFolder;
  stage: string;
  /** The run that asks, and the hash of the stage's prompt that it wants answered; null for a caller of its own. */
  runId: string | null;
  forPrompt: string | null;
  /** How many calls its agent may charge to this task from within it; none unless told. */
  nestedCalls?: number;
}

/** How much of a prompt is read: no CLI takes as much, and past it a file is not even read. */
export const MAX_PROMPT_BYTES = 64 * 1024 ** 2;
