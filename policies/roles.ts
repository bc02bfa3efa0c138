// The roles that a stage can play: what it is told, what it may do, and what its answer must hold.

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
  /** The task's acceptance commands are run after it. */
  runsAcceptance: boolean;
  /** Its section "Updated Context Pack" becomes the context of the stages after it. */
  handsOff: boolean;
}

const template = (what: string) => `${what}\n`;

export const ROLES = {
  brief: {
    access: 'read',
    template: template(
      'Read the request and the code it is about, and write the brief that the others will work from.',
    ),
    requires: ['Summary', 'Plan', 'Updated Context Pack', 'Verification Commands'],
    minLines: 8,
    reads: [],
    changesTree: false,
    runsAcceptance: false,
    handsOff: true,
  },
  test_design: {
    access: 'read',
    template: template('Design the tests that would prove the request done.'),
    requires: ['Test Cases', 'Out of Scope'],
    minLines: 5,
    reads: ['brief'],
    changesTree: false,
    runsAcceptance: false,
    handsOff: false,
  },
  impl: {
    access: 'write',
    template: template('Carry out the request in the working tree.'),
    requires: ['Summary', 'Changed Files'],
    minLines: 3,
    reads: ['test_design'],
    changesTree: true,
    runsAcceptance: false,
    handsOff: false,
  },
  test_impl: {
    access: 'write',
    template: template('Write the designed tests into the working tree.'),
    requires: ['Summary', 'Changed Files'],
    minLines: 3,
    reads: ['test_design', 'impl'],
    changesTree: true,
    runsAcceptance: false,
    handsOff: false,
  },
  static_verify: {
    access: 'read',
    template: template('Check the change by reading alone.'),
    requires: ['Findings', 'Verdict'],
    minLines: 4,
    reads: ['impl', 'test_impl'],
    changesTree: false,
    runsAcceptance: false,
    handsOff: false,
  },
  verify: {
    access: 'read',
    template: template('Judge whether the acceptance criteria are met.'),
    requires: ['Findings', 'Verdict'],
    minLines: 4,
    reads: ['impl', 'test_impl', 'static_verify'],
    changesTree: false,
    runsAcceptance: true,
    handsOff: false,
  },
  review: {
    access: 'read',
    template: template('Review the change or the code that the request names.'),
    requires: ['Findings', 'Verdict'],
    minLines: 4,
    reads: ['impl', 'test_impl'],
    changesTree: false,
    runsAcceptance: false,
    handsOff: false,
  },
  review_consolidate: {
    access: 'read',
    template: template('Make one review of the several below.'),
    requires: ['Findings', 'Disagreements', 'Verdict'],
    minLines: 5,
    reads: ['review', 'static_verify'],
    changesTree: false,
    runsAcceptance: false,
    handsOff: false,
  },
  runbook: {
    access: 'read',
    template: template('Write down how to roll out, watch and take back the change.'),
    requires: ['Steps', 'Rollback'],
    minLines: 5,
    reads: ['impl', 'test_impl', 'verify', 'review_consolidate'],
    changesTree: false,
    runsAcceptance: false,
    handsOff: false,
  },
} as const satisfies Record<string, Role>;

export type BuiltInRole = keyof typeof ROLES;
