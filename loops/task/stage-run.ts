// Defines a stage that is being run, and how it ended.

import type { Finding, GateRecord } from '../../policies/facts/gate-record.ts';
import type { ResolvedRole } from '../../policies/manifest/resolved-role.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';
import type { Access } from '../../wrappers/adapter.ts';
import type { SessionUse } from './attempt-request.ts';
import type { PromptTurn } from './compose.ts';
import type { Composing } from './prompt.ts';
import type { RunContext } from './run-context.ts';

export interface TaskRun extends Composing {
  runId: string;
  /** The folder in which this user's runs note the files that decide about their calls, and changes in other tasks meanwhile. */
  register: string;
  /** By call: findings about files that decide about the call, made after its run was killed. */
  tampered: ReadonlyMap<string, Finding>;
  /** Aborted after the known facts are written: then the guardian may be ended. */
  guardianStop: AbortSignal;
}

interface Login {
  tool: Stage['tool'];
  account?: string | undefined;
}

/** What a stage calls, as it is recorded. */
export const engineOf = ({ tool, account, model }: Login & { model?: string | undefined }) => ({
  tool,
  ...(account === undefined ? {} : { account }),
  model: model ?? null,
});

/** Whether both use the same session files. */
export const isSameLogin = (one: Login, other: Login): boolean =>
  one.tool === other.tool && one.account === other.account;

export interface StageRun extends TaskRun {
  /** With the tool that answers now, which may be a fallback for the manifest's. */
  stage: Stage;
  role: ResolvedRole;
  access: Access;
  turn?: PromptTurn;
  /** The user requested to pay for the stage again. */
  redone: boolean;
  /** The context of a call of this stage: with the environment of its account. */
  contextOf(stage: Stage): RunContext;
  /** Milliseconds awake until the task's wall clock runs out; null without a limit. */
  wallLeftMs(): number | null;
}

/** How a stage ended. `calls` were made in this run; `gate` is null if no gate checked an answer. */
export type StageEnd = { gate: GateRecord | null; calls: number; warnings: string[]; session?: SessionUse } & (
  | { how: 'done'; record: CallRecord }
  | { how: 'failed'; failure: Failure; record: CallRecord | null }
  /** `retry_at`: when the service accepts a call again, if it reported this. */
  | { how: 'interrupted'; record: CallRecord | null; retry_at: string | null }
);

/** A stop was requested while the stage waited for its turn. */
export const NOT_BEGUN: StageEnd = {
  how: 'interrupted',
  record: null,
  gate: null,
  calls: 0,
  warnings: [],
  retry_at: null,
};
