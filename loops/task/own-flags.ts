// Maps the fields of a stage that only some CLIs support to the flags of their wrappers.

import { type Requirements, requirementsOf } from '../../policies/facts/requirements.ts';
import { TOOLS, type Tool } from '../../policies/facts/tools.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';
import { adapterOf } from '../../wrappers/adapters.ts';

const FIELDS = {
  effort: 'effort',
  allow_tool: 'allow-tool',
  allow_commit: 'allow-commit',
} as const satisfies Partial<Record<keyof Stage, string>>;

type Field = keyof typeof FIELDS;
const NAMES = Object.keys(FIELDS) as Field[];

const has = (tool: Tool, field: Field) => FIELDS[field] in adapterOf(tool).own;

/** The values by flag name; empty for a CLI that supports none of the fields. */
export const ownFlagsOf = (stage: Stage): Record<string, true | string | readonly string[]> =>
  Object.fromEntries(
    NAMES.flatMap((field) => (stage[field] && has(stage.tool, field) ? [[FIELDS[field], stage[field]]] : [])),
  );

/** What a stage requires of its calls besides an answer. */
export const requirementsOfStage = ({ requires_mcp = [], on_denied = 'note' }: Stage): Requirements =>
  requirementsOf([requires_mcp].flat(), on_denied);

/** The fields that are set for a CLI that does not support them, each with the tools that do. */
export const unheeded = (stages: readonly Stage[]): string[] =>
  NAMES.filter((field) => stages.some((stage) => stage[field] && !has(stage.tool, field))).map(
    (field) => `stages[].${field} (of a tool that is not ${TOOLS.filter((tool) => has(tool, field)).join(' or ')})`,
  );
