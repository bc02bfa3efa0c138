// Which checks are due for a stage: one row each.

import { GATE_CHECKS, type GateCheck } from '../gate.ts';
import type { Role } from '../roles.ts';

/** What of a stage the gate looks at, as it stands in the manifest. */
export interface GatedStage {
  requires?: readonly string[] | undefined;
  min_lines?: number | undefined;
  schema?: Record<string, unknown> | undefined;
  diff?: boolean | undefined;
  may_be_empty: boolean;
}

export type GatedRole = Pick<Role, 'requires' | 'minLines' | 'changesTree' | 'runsAcceptance'>;

export type StageAccess = 'read' | 'write' | 'full';

interface Due {
  stage: GatedStage;
  role: GatedRole;
  access: StageAccess;
  manifest: { acceptance: { commands: readonly string[] } };
}

const DUE = {
  judge: () => true,
  scope: () => true,
  refusal: () => true,
  changes: ({ role, access }) => role.changesTree && access !== 'read',
  sections: ({ stage, role }) => requiredSections(stage, role).length > 0,
  lines: ({ stage, role }) => minLinesOf(stage, role) > 0,
  schema: ({ stage }) => stage.schema !== undefined,
  diff: ({ stage, role, access }) => promisesDiff(stage, role, access),
  acceptance: ({ role, manifest }) => role.runsAcceptance && manifest.acceptance.commands.length > 0,
} as const satisfies Record<GateCheck, (due: Due) => boolean>;

/** In the order in which they are looked at. Without a look at the tree `scope` and `changes` find nothing. */
export function dueChecks(
  stage: GatedStage,
  role: GatedRole,
  access: StageAccess,
  manifest: Due['manifest'],
): GateCheck[] {
  return GATE_CHECKS.filter((check) => DUE[check]({ stage, role, access, manifest }));
}

/** The stage says so; or it must change the tree, and may only read. */
export const promisesDiff = (stage: Pick<GatedStage, 'diff'>, role: GatedRole, access: StageAccess): boolean =>
  stage.diff ?? (role.changesTree && access === 'read');

/** A JSON answer has no headings: with a schema, only what the stage itself asks for. */
export const requiredSections = (stage: GatedStage, role: GatedRole): readonly string[] =>
  stage.requires ?? (stage.schema === undefined ? role.requires : []);

export const minLinesOf = (stage: GatedStage, role: GatedRole): number =>
  stage.min_lines ?? (stage.schema === undefined ? role.minLines : 0);
