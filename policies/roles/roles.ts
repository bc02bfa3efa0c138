// The roles that a stage can play: what it is told, what it may do, and what its answer must hold.

import type { OnFail } from '../facts/gate-record.ts';
import { BRIEF } from './brief.ts';
import { IMPL } from './impl.ts';
import { REASONER } from './reasoner.ts';
import { REVIEW } from './review.ts';
import { REVIEW_CONSOLIDATE } from './review-consolidate.ts';
import { RUNBOOK } from './runbook.ts';
import { STATIC_VERIFY } from './static-verify.ts';
import { TEST_DESIGN } from './test-design.ts';
import { TEST_IMPL } from './test-impl.ts';
import { VERIFY } from './verify.ts';
import { WORKER } from './worker.ts';

export interface Role {
  /** What it may do where the stage does not say. */
  access: 'read' | 'write';
  /** What it is told, before the task's own words. */
  template: string;
  /** Sections that its answer must have, where the stage does not say. */
  requires: readonly string[];
  /** Lines with text that its answer must have at least. */
  minLines: number;
  /** Roles whose answers of this task are put into its prompt. */
  reads: readonly string[];
  /** It must leave a change in the tree; or, where it may not write, a unified diff in its answer. */
  changesTree: boolean;
  /** What becomes of a verdict of FAIL in its answer, where the stage does not say. */
  onFail: OnFail;
  /** The task's acceptance commands are run after it. */
  runsAcceptance: boolean;
  /** Its section "Updated Context Pack" becomes the context of the stages after it. */
  handsOff: boolean;
}

export const ROLES = {
  brief: {
    access: 'read',
    template: BRIEF,
    requires: ['Summary', 'Plan', 'Updated Context Pack', 'Verification Commands'],
    minLines: 8,
    reads: [],
    changesTree: false,
    onFail: 'note',
    runsAcceptance: false,
    handsOff: true,
  },
  test_design: {
    access: 'read',
    template: TEST_DESIGN,
    requires: ['Test Cases', 'Out of Scope'],
    minLines: 5,
    reads: ['brief'],
    changesTree: false,
    onFail: 'note',
    runsAcceptance: false,
    handsOff: false,
  },
  impl: {
    access: 'write',
    template: IMPL,
    requires: ['Summary', 'Changed Files'],
    minLines: 4,
    reads: ['brief', 'test_design'],
    changesTree: true,
    onFail: 'note',
    runsAcceptance: false,
    handsOff: false,
  },
  test_impl: {
    access: 'write',
    template: TEST_IMPL,
    requires: ['Summary', 'Changed Files'],
    minLines: 4,
    reads: ['test_design', 'impl'],
    changesTree: true,
    onFail: 'note',
    runsAcceptance: false,
    handsOff: false,
  },
  static_verify: {
    access: 'read',
    template: STATIC_VERIFY,
    requires: ['Findings', 'Verdict'],
    minLines: 4,
    reads: ['impl', 'test_impl'],
    changesTree: false,
    onFail: 'note',
    runsAcceptance: false,
    handsOff: false,
  },
  verify: {
    access: 'read',
    template: VERIFY,
    requires: ['Findings', 'Verdict'],
    minLines: 4,
    reads: ['impl', 'test_impl', 'static_verify'],
    changesTree: false,
    // It has the last word on the change; the others' verdicts are for the stages after them.
    onFail: 'stop',
    runsAcceptance: true,
    handsOff: false,
  },
  review: {
    access: 'read',
    template: REVIEW,
    requires: ['Findings', 'Verdict'],
    minLines: 4,
    reads: ['impl', 'test_impl'],
    changesTree: false,
    onFail: 'note',
    runsAcceptance: false,
    handsOff: false,
  },
  review_consolidate: {
    access: 'read',
    template: REVIEW_CONSOLIDATE,
    requires: ['Findings', 'Disagreements', 'Verdict'],
    minLines: 6,
    reads: ['review', 'static_verify'],
    changesTree: false,
    onFail: 'note',
    runsAcceptance: false,
    handsOff: false,
  },
  runbook: {
    access: 'read',
    template: RUNBOOK,
    requires: ['Steps', 'Rollback'],
    minLines: 5,
    reads: ['impl', 'test_impl', 'verify', 'review_consolidate'],
    changesTree: false,
    onFail: 'note',
    runsAcceptance: false,
    handsOff: false,
  },
  /** These two are the parts of a supervised task. */
  worker: {
    access: 'write',
    template: WORKER,
    requires: [],
    minLines: 0,
    reads: [],
    // An iteration that changes nothing is the reasoner's to judge.
    changesTree: false,
    onFail: 'note',
    runsAcceptance: true,
    handsOff: false,
  },
  reasoner: {
    access: 'read',
    template: REASONER,
    requires: [],
    minLines: 0,
    reads: [],
    changesTree: false,
    onFail: 'note',
    runsAcceptance: false,
    handsOff: false,
  },
} as const satisfies Record<string, Role>;

export type BuiltInRole = keyof typeof ROLES;
