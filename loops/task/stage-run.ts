// A stage that is being run, and how it ended.

import type { Finding, GateRecord } from '../../policies/facts/gate-record.ts';
import type { ResolvedRole } from '../../policies/manifest/resolved-role.ts';
import type { CallRecord } from '../../policies/record/call-record.ts';
import type { Failure } from '../../policies/record/task-failure.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';
import type { Access } from '../../wrappers/adapter.ts';
import type { PromptTurn } from '../prompt/compose.ts';
import type { SessionUse } from '../session/session-use.ts';
import type { Composing } from './prompt.ts';

/** A run that has its task. */
export interface TaskRun extends Composing {
  runId: string;
  /** Where runs of this user note what their calls are judged by, and what changed in other tasks meanwhile. */
  register: string;
  /** By call: what was found of files that it is judged by after its run was killed. */
  tampered: ReadonlyMap<string, Finding>;
  /** Aborted once what is known is written: now the guardian may be ended. */
  guardianStop: AbortSignal;
}

/** A run at one of its stages. */
export interface StageRun extends TaskRun {
  /** With the tool that answers now, which may stand in for the manifest's. */
  stage: Stage;
  role: ResolvedRole;
  access: Access;
  turn?: PromptTurn;
  /** The user asked to pay for it again. */
  redone: boolean;
  /** Until the task's wall clock runs out, in milliseconds awake; null without one. */
  wallLeftMs(): number | null;
}

/** How a stage ended: `calls` were made in this run, `gate` is null where none looked at an answer. */
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
