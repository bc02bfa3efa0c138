// Applies the gate of a stage: it checks the answer and the changed files before the stage counts as done.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { type Finding, GATE_RECORD_SCHEMA, type GateRecord } from '../../policies/facts/gate-record.ts';
import { gateSignature, gateVerdict, weightiest } from '../../policies/gate/gate-verdict.ts';
import { judgeScope, type Violation, violationsFinding } from '../../policies/gate/scope.ts';
import { pathsOfDiff } from '../../policies/gate/unified-diff.ts';
import { slowPatterns } from '../../policies/redact/redactor.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import { firstNames } from '../../policies/text/display.ts';
import { NEVER } from '../../policies/verdict/decide.ts';
import { writeJson } from '../../state/atomic-file.ts';
import { readRegular } from '../../state/disk/regular-file.ts';
import { outputsOf } from '../../state/task-folder.ts';
import { dropKeptAnswer, putAnswerBack } from '../attempt/captured.ts';
import { passGate, redactRecord } from '../gate/gate.ts';
import type { GateRequest } from '../gate/gate-request.ts';
import { redactorOf } from '../redactor.ts';
import { type FailureCircumstances, failureOf } from '../task/failure.ts';
import { gateActions, gateFileOf } from '../task/gate-actions.ts';
import type { StageEnd, StageRun } from '../task/stage-run.ts';
import { restore } from '../tree/restore.ts';
import { scopeOf } from '../tree/task-tree.ts';
import type { Baseline } from './baseline.ts';
import { keepTreeAfter } from './kept-trees.ts';

/** The parts of a prompt that its gate uses. */
type GatedPrompt = { acceptanceCommands: string[]; warnings: string[] };

/**
 * Checks the answer and the tree, restores what is out of scope if requested, and notes the findings in a file and a fact.
 * @param judge the finding about changed files that decide whether the call passes. @returns the record; after a stop request it
 * has failed without a finding
 */
export async function passStage(
  run: StageRun,
  record: CallRecord,
  prompt: GatedPrompt,
  baseline: Baseline | null,
  judge: Finding | null,
): Promise<GateRecord> {
  const { open, stage, role, context } = run;
  const { environment, clock } = context;
  const { task, manifest, cwd } = open;
  const changes = baseline === null ? null : await baseline.look();
  await keepTreeAfter(run, changes);
  const violations = judgeScope(changes ?? [], scopeOf(open.manifest));
  const findings = [judge, violationsFinding(violations)].filter((finding) => finding !== null);
  const { out: answerFile } = outputsOf(task, stage);
  const isPaid = record.verdict.class === null && !open.journal.read().ledger.gated.has(record.call_id);
  const isBack = isPaid && putAnswerBack(task, record.call_id, answerFile);
  const request: GateRequest = {
    task,
    manifest,
    stage,
    tool: stage.tool,
    role,
    cwd,
    answerFile,
    callId: record.call_id,
    changes,
    findings,
    look: baseline === null && open.journal.read().ledger.passed.has(record.call_id) ? 'again' : 'first',
    acceptanceCommands: prompt.acceptanceCommands,
    environment,
    redactor: redactorOf(environment, manifest.security.redaction_patterns),
    stop: context.stop,
    clock,
  };
  const remarks = isBack ? [IS_BACK] : [];
  if (baseline?.since === 'killed_run' && violations.length > 0) remarks.push(SINCE_KILLED);
  const looked = withDiffScope(run, record.verdict.class === null ? await passGate(request) : unanswered(request));
  if (baseline?.since === 'redone') remarks.push(SINCE_REDONE);
  const theirs = baseline?.ofCallers() ?? [];
  if (theirs.length > 0)
    remarks.push(`not counted as a change: ${theirs.join(', ')} (open for writing before the stage, by its caller)`);
  const passed = { ...looked, notes: [...looked.notes, ...remarks] };
  const found =
    violations.length === 0 || !baseline?.copies
      ? passed
      : { ...passed, ...(await putBack(run, violations, baseline, record, passed)) };
  const gate = redactRecord(found, request.redactor);
  gate.notes.push(...slowPatterns(request.redactor.withheld));
  await writeJson(gateFile(run), gate, 'renamed');
  // The gate was stopped in the middle, so there are no findings, and the stage is not over.
  if (!gate.passed && gate.findings.length === 0) return gate;
  const verdict = gateVerdict(gate.findings);
  await open.journal.note({
    fact: 'gate',
    stage: stage.name,
    call_id: record.call_id,
    passed: gate.passed,
    missing: gate.findings.flatMap(({ missing }) => missing).slice(0, MAX_MISSING),
    class: verdict.class,
    reason: verdict.reason,
    signature: gate.passed ? null : gateSignature(stage.tool, gate.findings),
    verdict: gate.verdict,
  });
  dropKeptAnswer(task, record.call_id);
  return gate;
}

const IS_BACK = 'its answer was removed before it was checked; it was published again from its attempt';

const SINCE_KILLED =
  'an earlier run of this stage was killed: some of what is out of scope may have been changed by another process since, so nothing is put back';

const SINCE_REDONE =
  'what earlier attempts changed is unknown, since their baseline is missing: the stage was repeated on the tree as it was';

/** The call also failed: there is no answer to check, only the findings about the files around it. */
const unanswered = ({ stage, tool, callId, findings, changes, clock }: GateRequest): GateRecord => ({
  schema: GATE_RECORD_SCHEMA,
  stage: stage.name,
  tool,
  call_id: callId,
  at: clock().toISOString(),
  passed: false,
  checks: findings.map(({ check }) => ({ check, passed: false })),
  findings: [...findings],
  verdict: null,
  changes,
  acceptance: [],
  restored: [],
  notes: [],
});

/** A diff is a change that is still to be made: it must respect the scope like a change that was made. */
function withDiffScope({ open, stage }: StageRun, gate: GateRecord): GateRecord {
  if (!gate.checks.some(({ check, passed }) => check === 'diff' && passed)) return gate;
  const diff = readRegular(path.join(open.task.outputs, `${stage.name}.patch`));
  // A diff is relative to the CLI's folder, a scope to the root of the tree.
  const within = (at: string) => path.posix.join(path.relative(open.tree, open.cwd), at);
  const changes = pathsOfDiff(diff).map(({ how, from, ...change }) => ({
    how,
    path: within(change.path),
    ...(from === undefined ? {} : { from: within(from) }),
  }));
  const finding = violationsFinding(judgeScope(changes, scopeOf(open.manifest)));
  if (finding === null) return gate;
  const checks = [...gate.checks, { check: 'scope', passed: false } as const];
  return { ...gate, passed: false, checks, findings: [...gate.findings, finding] };
}

/** Restores what was out of scope as before the stage. The attempt's private files keep the replaced content. */
async function putBack(
  { open }: StageRun,
  violations: readonly Violation[],
  { before, copies }: Baseline,
  record: CallRecord,
  { notes }: GateRecord,
) {
  const backupFolder = path.join(open.task.attempts, record.call_id, 'out-of-scope');
  const put = await restore({ violations, before, copies: copies!, backupFolder });
  const paths = put.restored.map((each) => each.path);
  const back = `put back as it was: ${firstNames(paths, MAX_NAMED)}; the changed version is kept in ${backupFolder}`;
  return { restored: put.restored, notes: [...(paths.length === 0 ? [] : [back]), ...notes, ...put.notes] };
}

const MAX_NAMED = 5;

/** A line of the journal must be small. */
const MAX_MISSING = 20;

function gateFailure(run: StageRun, record: CallRecord, gate: GateRecord, calls: number): Failure {
  const { open, stage } = run;
  const verdict = gateVerdict(gate.findings);
  const first = weightiest(gate.findings);
  const next_actions = gateActions(
    open,
    stage,
    gate,
    record.verdict.class === null ? 'paid' : 'none',
    run.options.finished === 'rechecked',
  );
  const decision: FailureCircumstances['decision'] = {
    action: 'stop',
    why: NEVER[verdict.class ?? 'unknown'],
    next_actions: [],
  };
  const judged = {
    ...record,
    verdict,
    signature: gateSignature(stage.tool, gate.findings),
    wrapper_exit_code: TOLLGATE_EXIT.failure,
  };
  const failure = failureOf(run, judged, {
    count: 1,
    attempt: calls,
    decision,
    sent: null,
    changed: gate.changes ?? [],
  });
  const missing = gate.findings.flatMap((finding) => finding.missing);
  const findings = [first, ...gate.findings.filter((finding) => finding !== first)].flatMap((finding) =>
    finding === undefined ? [] : [{ check: finding.check, reason: finding.reason, text: finding.text }],
  );
  const { out } = outputsOf(open.task, stage);
  const answer = record.verdict.class === null && existsSync(out) ? { out } : {};
  const files = { ...answer, ...failure.files, gate: gateFile(run) };
  return { ...failure, next_actions, findings, missing, files };
}

const gateFile = ({ open, stage }: StageRun) => gateFileOf(open.task, stage.name);

/** A call that succeeded does not finish its stage before the gate has passed. */
export async function gateAnswer(
  run: StageRun,
  record: CallRecord,
  prompt: GatedPrompt,
  baseline: Baseline | null,
  calls: number,
  judge: Finding | null = null,
): Promise<StageEnd> {
  const gate = await passStage(run, record, prompt, baseline, judge);
  const ended = { record, gate, calls, warnings: prompt.warnings };
  if (gate.passed) return { ...ended, how: 'done' };
  // The gate was stopped in the middle: nothing is known against the answer, and the next run checks it again.
  if (gate.findings.length === 0) return { ...ended, how: 'interrupted', retry_at: null };
  return { ...ended, how: 'failed', failure: gateFailure(run, record, gate, calls) };
}
