// What a dispatcher tells the wrapper that it starts, and hears of it: a line each way, by a descriptor that a variable of the environment names; the CLI sees neither.

import { fstatSync, readFileSync, writeSync } from 'node:fs';
import type { OwnToolRow } from '../../policies/own-tool/description.ts';
import type { LeftOut } from '../../policies/prompt/left-out.ts';
import type { OwnRow } from '../../policies/verdict/own-row.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';

/** The variable's name, and the descriptor. */
export const DISPATCH = 'TOLLGATE_DISPATCH';
export const DISPATCH_FD = 3;

export interface Dispatch {
  run_id: string;
  call_id: string;
  /** Behind those that the wrapper was started with: what was not known by then. */
  flags: readonly string[];
  /** The hash of the stage's prompt that is to be answered; what is sent may be a digest of it. */
  for_prompt: string;
  /** How many calls the agent may charge to the task from within its call; absent is none. */
  nested_calls?: number;
  /** The task's own patterns of what must not be published. */
  redaction_patterns: string[];
  /** Of the project's own, read once for the whole run. */
  own_rows: readonly OwnRow[];
  /** The CLI that is to be called, where the project describes it: as it was read for the run. */
  own_tool?: OwnToolRow;
  /** What is sent before the text of its file, and what is to be known of it beside: that goes into the record. */
  prompt: { before: string; warnings: readonly string[]; left_out: readonly LeftOut[] };
}

/** `unsent`: whoever started the wrapper ended, or needs it no more, before it said what is to be done; or it is no dispatcher. */
type Dispatched = Dispatch | 'unsent';

let dispatched: Dispatched | null = null;

/** null for a wrapper that somebody else started. Waits for as long as the dispatcher takes: nothing of the call is begun before. */
export function readDispatch(environment: NodeJS.ProcessEnv): Dispatched | null {
  if (environment[DISPATCH] === undefined) return null;
  dispatched ??= parseDispatch(said());
  return dispatched;
}

function said(): string {
  try {
    // A dispatcher's is a socket; a terminal, or a pipe of a shell, might never end.
    return fstatSync(DISPATCH_FD).isSocket() ? readFileSync(DISPATCH_FD, 'utf8') : '';
  } catch {
    // Who set the variable opened none.
    return '';
  }
}

/** All is written: whoever waits need not wait until Node has ended, too. */
export function tellExit(exit: number): void {
  try {
    writeSync(DISPATCH_FD, `${exit}\n`);
  } catch {
    // The dispatcher died meanwhile, and will not be told.
  }
}

/** The line of a dispatcher that was killed while it wrote has no end; what is no line of ours is from whoever set the variable by hand. */
function parseDispatch(line: string): Dispatched {
  if (!line.endsWith('\n')) return 'unsent';
  try {
    const dispatch: Dispatch | null = JSON.parse(line);
    return typeof dispatch?.call_id === 'string' && typeof dispatch.prompt?.before === 'string' ? dispatch : 'unsent';
  } catch {
    return 'unsent';
  }
}

export const dispatchLine = (dispatch: Dispatch): string => `${JSON.stringify(dispatch)}\n`;

/** The environment without it: a call that an agent makes from within is none of this run's. */
export function withoutDispatch(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { [DISPATCH]: _, ...rest } = environment;
  return rest;
}

/** A guardian's process, as whoever started it has it in hand: it waits for its dispatch, and does nothing before. */
export interface StartedGuardian {
  /** undefined where it could not be started. */
  pid: number | undefined;
  /** Whether it still is what was started. */
  lives(): boolean;
  /** Tells it what to do, once: from then on it goes on without us. */
  send(line: string): void;
  /** Asks it to end; a stopped one hears it, too, and one that does not obey is killed. */
  end(): void;
  /** Ends one that was told nothing, at once, since there is nothing of it to be kept; it is gone by then. */
  dismiss(): Promise<unknown>;
  /** All that it does is done; its process may still be about to go. */
  ended: Promise<GuardianExit>;
  gone: Promise<unknown>;
}

export interface GuardianExit {
  /** The signal that ended it; null where none did. */
  signal: NodeJS.Signals | null;
  /** In words that follow "the wrapper". */
  how: string;
}

/** One that was started while its stage is still prepared. */
export interface EarlyGuardian {
  callId: string;
  waitsFor(stage: Stage): boolean;
  /** Once; null where it has ended, or was dismissed. */
  take(): StartedGuardian | null;
  /** Does nothing to one that was taken. */
  dismiss(): Promise<unknown>;
}
