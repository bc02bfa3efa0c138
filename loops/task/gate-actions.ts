// Determines what to do about the findings of a stage's gate, from the present state of the task.

import path from 'node:path';
import type { GateRecord } from '../../policies/facts/gate-record.ts';
import { type NextAction, readActions } from '../../policies/facts/next-action.ts';
import {
  type GatedCall,
  gateNextActions,
  outdatedBy,
  type StageInLine,
  writerOf,
} from '../../policies/gate/next-actions.ts';
import { judgeScope, type Violation } from '../../policies/gate/scope.ts';
import { placeWords } from '../../policies/manifest/stage-place.ts';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import { answeredIn, budgetOf } from '../../state/journal/ledger.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';
import { outputsOf, type TaskFolder } from '../../state/task-folder.ts';
import { scopeOf } from '../tree/task-tree.ts';
import type { StagePlan } from './stage-plan.ts';
import type { OpenTask } from './task.ts';

/** @param answer whether the stage has a paid answer. @returns the possible actions, the best first. */
export function gateActions(
  open: OpenTask,
  stage: Stage,
  { findings, restored, changes }: GateRecord,
  answer: GatedCall['answer'],
  rechecks = false,
): NextAction[] {
  const { ledger } = open.journal.read();
  const writer = writerOf(lineOfStages(open.plans), stage.name);
  return gateNextActions(findings, {
    called: open.called,
    stage: stage.name,
    tool: stage.tool,
    answer,
    rechecks,
    restored: howRestored(changes, judgeScope(changes ?? [], scopeOf(open.manifest)), restored),
    answerFile: outputsOf(open.task, stage).out,
    place: (field) =>
      field === 'acceptance' || field === 'scope'
        ? open.placeOf(null, field).at
        : placeWords(open.placeOf(stage.name, field), field),
    writer,
    outdated: writer === null ? [] : outdatedBy(writer, stage.name, answeredIn(ledger)),
    budget: { used: ledger.used, total: budgetOf(ledger) },
  });
}

function howRestored(
  changes: GateRecord['changes'],
  violations: readonly Violation[],
  restored: GateRecord['restored'],
): GatedCall['restored'] {
  const isBack = ({ path: at }: { path: string }) => restored.some((back) => back.path === at);
  // Only a run that began with --restore has copies of what was there before. A later one can only take away what was added.
  if (restored.length === 0) return violations.every(({ how }) => how === 'added') ? 'none' : 'not_all';
  if (changes?.every(isBack) === true) return 'all';
  return violations.every(isBack) ? 'some' : 'not_all';
}

/** The path of a stage's last gate record, whether it exists or not. */
export const gateFileOf = ({ outputs }: TaskFolder, stage: string): string => path.join(outputs, `${stage}.gate.json`);

/** @returns the gate record of this call; null if it is missing, or is about another call. Any process may edit this file. */
export function gateRecordOf(task: TaskFolder, stage: string, callId: string): GateRecord | null {
  const record = readGateRecord(task, stage);
  return record?.call_id === callId ? record : null;
}

/** @returns the record as it is on disk; null if there is none. */
export function readGateRecord(task: TaskFolder, stage: string): GateRecord | null {
  const record = readJsonIfFit<GateRecord>(gateFileOf(task, stage));
  if (record === null || !Array.isArray(record.findings)) return null;
  const findings = record.findings.map((finding) => ({ ...finding, next_actions: readActions(finding.next_actions) }));
  return { ...record, findings };
}

/** Reduces a task's stages to what determines which stage writes, and which stages read its answer. */
export const lineOfStages = (plans: readonly StagePlan[]): StageInLine[] =>
  plans.map(({ stage, role, access }) => ({
    name: stage.name,
    tool: stage.tool,
    role: stage.role,
    writes: role.changesTree && access !== 'read',
    reads: role.reads,
  }));
