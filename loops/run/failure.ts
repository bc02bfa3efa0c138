// Makes the failure record of a stage.

import type { CallRecord } from '../../policies/call-record.ts';
import type { Decision } from '../../policies/decide.ts';
import { FAILURE_SCHEMA, type Failure } from '../../policies/task-failure.ts';
import { excerpt } from './excerpt.ts';
import { outputsOf } from './guardian.ts';
import type { StageRun } from './stage.ts';

export interface Circumstances {
  count: number;
  attempt: number;
  decision: Decision;
}

export function failureOf(run: StageRun, record: CallRecord, { count, attempt, decision }: Circumstances): Failure {
  const { open, stage, clock } = run;
  const outputs = outputsOf(open.task, stage);
  return {
    schema: FAILURE_SCHEMA,
    task_id: open.task.id,
    stage: stage.name,
    tool: stage.tool,
    attempt,
    at: clock().toISOString(),
    class: record.verdict.class ?? 'unknown',
    reason: record.verdict.reason,
    signature: record.signature,
    count,
    exit_code: record.wrapper_exit_code,
    native_exit_code: record.native_exit_code,
    signal: record.signal,
    ending: record.ending,
    evidence: record.verdict.evidence,
    decision: { action: decision.action, why: decision.why },
    retry_at: record.verdict.retry_at,
    next_actions: decision.next_actions,
    ...excerpt(outputs.err),
    files: outputs,
    resolved_at: null,
  };
}

/** The wrapper itself broke: nothing is known of the CLI. */
export function unansweredFailure(run: StageRun, why: string): Failure {
  const { open, stage, clock } = run;
  return {
    ...EMPTY,
    task_id: open.task.id,
    stage: stage.name,
    tool: stage.tool,
    at: clock().toISOString(),
    class: 'tooling',
    reason: 'wrapper_failed',
    evidence: { source: 'none', text: why, rule: 'wrapper-left-no-record' },
    decision: { action: 'stop', why },
    next_actions: [`preflight --tools ${stage.tool}`, `tollgate run ${open.task.id}`],
    files: outputsOf(open.task, stage),
  };
}

/** The run was told to stop. */
export function interruptedFailure(
  taskId: string,
  stage: string | null,
  by: string,
  exitCode: number,
  at: Date,
): Failure {
  const why = `stopped by ${by}; run it again to go on`;
  return {
    ...EMPTY,
    task_id: taskId,
    stage,
    at: at.toISOString(),
    class: 'transient',
    reason: 'cancelled',
    exit_code: exitCode,
    ending: 'cancelled',
    evidence: { source: 'ending', text: why, rule: 'run-stopped' },
    decision: { action: 'stop', why },
    next_actions: [`tollgate run ${taskId}`],
  };
}

const EMPTY: Omit<Failure, 'task_id' | 'at' | 'class' | 'reason' | 'evidence' | 'decision' | 'next_actions'> = {
  schema: FAILURE_SCHEMA,
  stage: null,
  tool: null,
  attempt: null,
  signature: null,
  count: 1,
  exit_code: 1,
  native_exit_code: null,
  signal: null,
  ending: null,
  retry_at: null,
  stderr_head: [],
  stderr_tail: [],
  files: {},
  resolved_at: null,
};
