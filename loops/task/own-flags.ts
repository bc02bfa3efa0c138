// Which fields of a stage its CLI alone understands: they go to its wrapper as the flags that its row has by their names.

import { TOOLS, type Tool } from '../../policies/facts/tools.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';
import { adapterOf } from '../../wrappers/adapters.ts';

const FIELDS = ['effort'] as const satisfies readonly (keyof Stage)[];

const has = (tool: Tool, field: (typeof FIELDS)[number]) => field in adapterOf(tool).own;

/** By the name of the flag its value; empty for a CLI that understands none of them. */
export const ownFlagsOf = (stage: Stage): Record<string, string> =>
  Object.fromEntries(
    FIELDS.flatMap((field) => (stage[field] && has(stage.tool, field) ? [[field, stage[field]]] : [])),
  );

/** Those that are set for a CLI that does not understand them, each with whose it is not. */
export const unheeded = (stages: readonly Stage[]): string[] =>
  FIELDS.filter((field) => stages.some((stage) => stage[field] && !has(stage.tool, field))).map(
    (field) => `stages[].${field} (of a tool that is not ${TOOLS.filter((tool) => has(tool, field)).join(' or ')})`,
  );
