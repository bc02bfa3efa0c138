// Goes through the stages of a task in order, until one fails.

import type { Failure } from '../../policies/task-failure.ts';
import type { Ended } from './leave.ts';
import type { Plan } from './plan.ts';
import type { StageReport } from './report.ts';
import type { RunRequest } from './run.ts';
import { runStage, type StageEnd } from './stage.ts';
import { markDone, reopen } from './stage-door.ts';
import type { OpenTask } from './task.ts';

export interface StagesRequest extends RunRequest {
  open: OpenTask;
  runId: string;
  guardianStop: AbortSignal;
}

export async function runStages(request: StagesRequest, plan: readonly Plan[]): Promise<Ended> {
  const { open, say } = request;
  const { max_wallclock_sec: seconds } = open.manifest.budgets;
  const endsAt = seconds === undefined ? null : new Date(request.clock().getTime() + seconds * 1000);
  const reports: StageReport[] = [];
  let failure: Failure | null = null;
  let state: Ended['state'] = 'done';
  for (const { stage, prompt, door } of plan) {
    if (state !== 'done' || door === 'done_earlier') {
      reports.push(untouched(stage.name, door === 'done_earlier' ? 'done_earlier' : 'pending'));
      continue;
    }
    const trustWorkspace = request.trustWorkspace || open.manifest.security.trust_workspace;
    const run = {
      ...request,
      environment: allowed(request.environment, open.manifest.security.env_allow),
      stage,
      endsAt,
      stop: request.stop.signal,
      trustWorkspace,
      redone: request.redo.includes(stage.name),
    };
    if (run.redone) reopen(open.task, open.journal, stage.name);
    const end = await runStage(run, prompt);
    reports.push(reportOf(stage.name, end));
    if (end.how === 'done') {
      // The gate stands here: what the answer must hold is looked at before a stage counts as done.
      await markDone(open.task, open.journal, stage.name, end.record.call_id, prompt);
      say(`stage ${stage.name}: done`);
    } else {
      state = end.how === 'failed' ? 'failed' : 'interrupted';
      if (end.how === 'failed') failure = end.failure;
    }
  }
  return { state, exitCode: state === 'done' ? 0 : 1, stages: reports, failure, notes: [] };
}

function reportOf(stage: string, end: StageEnd): StageReport {
  const { record } = end;
  return {
    stage,
    state: end.how,
    exit_code: record?.wrapper_exit_code ?? null,
    duration_ms: record?.duration_ms ?? null,
    calls: end.calls,
    session_id: record?.session_id ?? null,
    warnings: record?.warnings.map((warning) => `${stage}: ${warning}`) ?? [],
  };
}

function untouched(stage: string, state: 'done_earlier' | 'pending'): StageReport {
  return { stage, state, exit_code: null, duration_ms: null, calls: 0, session_id: null, warnings: [] };
}

/** What of the environment the CLI sees; without a list all of it, with one also what no program can do without. */
function allowed(environment: NodeJS.ProcessEnv, names: readonly string[] | undefined): NodeJS.ProcessEnv {
  if (names === undefined) return environment;
  const kept = new Set([...names, ...NEEDED]);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => kept.has(name)));
}

/** The last one is ours: the mark of a call that this run is made from. */
const NEEDED = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TERM', 'TOLLGATE_STATE', 'TOLLGATE_CALL_ID'];
