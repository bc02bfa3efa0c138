// A stage that is being run, and how it ended.

import type { Finding, GateRecord } from '../../policies/facts/gate-record.ts';
import type { ResolvedRole } from '../../policies/manifest/resolved-role.ts';
import type { CallRecord } from '../../policies/record/call-record.ts';
import type { Failure } from '../../policies/record/task-failure.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';
import type { Access } from '../../wrappers/adapter.ts';
import type { SessionUse } from '../session/session-use.ts';
import type { CallWishes } from './call-wishes.ts';
import type { Underway } from './last-event.ts';
import type { Composing } from './prompt.ts';
import type { RunRequest } from './run-request.ts';
import type { Slots } from './slots.ts';

export interface StageRun extends Composing, CallWishes {
  /** With the tool that answers now, which may stand in for the manifest's. */
  stage: Stage;
  role: ResolvedRole;
  access: Access;
  runId: string;
  /** Where runs of this user note what their calls are judged by, and what changed in other tasks meanwhile. */
  register: string;
  /** By call: what was found of files that it is judged by after its run was killed. */
  tampered: ReadonlyMap<string, Finding>;
  /** The folder of the built commands, where the wrappers lie. */
  commandFolder: string;
  /** The user asked to pay for it again. */
  redone: boolean;
  /** May an attempt that ran tools be begun anew? */
  dirtyRetries: 'never' | 'allowed';
  /** What becomes of changes that are out of scope. */
  outOfScope: 'reported' | 'restored';
  /** How long the reset of a quota may be waited for. */
  waitForResetMs: number;
  /** Until the task's wall clock runs out, in milliseconds awake; null without one. */
  wallLeftMs(): number | null;
  /** Aborted when the run is told to stop: no more calls, no more waiting. */
  stop: AbortSignal;
  /** Aborted once what is known is written: now the guardian may be told. */
  guardianStop: AbortSignal;
  /** Where calls wait for a place; without it none waits. */
  slots?: Slots;
  clock: () => Date;
  random: () => number;
  /** Ends at once when `stop` aborts. */
  pause(ms: number, stop: AbortSignal): Promise<void>;
  /** While others have what it wants. */
  whenTaken: RunRequest['whenTaken'];
  /** Is a history that the service refuses mended? */
  repair: 'allowed' | 'off';
  /** While somebody else has the session open in its CLI. */
  whenOpen: 'wait' | 'fresh';
  say(sentence: string): void;
  /** The call that is waited for; null when there is none. */
  watch(underway: Underway | null): void;
}

export type StageEnd = { gate: GateRecord | null; calls: number; warnings: string[]; session?: SessionUse } & (
  | { how: 'done'; record: CallRecord }
  | { how: 'failed'; failure: Failure; record: CallRecord | null }
  /** `retry_at`: when the service may be asked again, if it said so. */
  | { how: 'interrupted'; record: CallRecord | null; retry_at: string | null }
);

/** Told to stop while it waited for its turn. */
export const NOT_BEGUN: StageEnd = {
  how: 'interrupted',
  record: null,
  gate: null,
  calls: 0,
  warnings: [],
  retry_at: null,
};
