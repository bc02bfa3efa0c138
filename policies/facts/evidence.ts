// Defines what is known about one finished call: everything on which a verdict may be based.

import type { ErrorClass } from './classes.ts';
import type { Ending } from './ending.ts';
import type { EngineFailure } from './engine-event.ts';
import type { OwnReason } from './own-reasons.ts';
import type { Tool } from './tools.ts';

export interface Evidence {
  tool: Tool;
  ending: Ending;
  /** It was ended before it had written a single byte. */
  silent?: boolean;
  /** The CLI's own exit code and signal: recorded, but the least reliable evidence. */
  exitCode: number | null;
  signal: string | null;
  /** The CLI's terminal event reported success. */
  completed: boolean;
  /** Visible characters of the assistant's text after the last tool result. */
  answerChars: number;
  /** The terminal failure event. */
  failure: EngineFailure | null;
  /** Error events that were not terminal, oldest first. */
  errors: EngineFailure[];
  /** The cause of the last retry that the CLI announced. */
  retried: EngineFailure | null;
  /**
   * Lines of stderr that the engine wrote, without the echoed prompt, tool output or answer. If there are none, those of stdout,
   * for a failed call without a stream.
   */
  stderr: string[];
  /** Its notices, and its messages about retries: they count if there is nothing better. */
  remarks: string[];
  /** Why the CLI was never started, in our own words. */
  obstacle: Obstacle | null;
  /** Model tokens that the CLI counted; 0 with an empty answer means that no model was called. */
  tokens: number | null;
}

export interface Obstacle {
  class: ErrorClass;
  reason: OwnReason;
  message: string;
}

/** Where the deciding text was found. */
export type EvidenceSource = 'terminal' | 'ending' | 'failure' | 'error' | 'stderr' | 'exit_code' | 'gate' | 'none';

export interface Verdict {
  /** null = success. */
  class: ErrorClass | null;
  reason: string | null;
  evidence: { source: EvidenceSource; text: string; rule: string } | null;
  /** ISO time from which the service allows the call again. */
  retry_at: string | null;
}
