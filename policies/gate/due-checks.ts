// Which checks are due for a stage: one row each.

import { GATE_CHECKS, type GateCheck } from '../facts/gate-record.ts';
import type { ResolvedRole } from '../manifest/resolved-role.ts';

interface Due {
  role: ResolvedRole;
  /** Of the stage. */
  schema: object | undefined;
  commands: readonly string[];
}

const DUE = {
  judge: () => true,
  scope: () => true,
  refusal: () => true,
  changes: ({ role }) => role.changesTree && role.access !== 'read',
  sections: ({ role }) => role.requires.length > 0,
  lines: ({ role }) => role.minLines > 0,
  schema: ({ schema }) => schema !== undefined,
  diff: ({ role }) => role.answersWithDiff,
  verdict: ({ role }) => role.onFail === 'stop',
  acceptance: ({ commands }) => commands.length > 0,
} as const satisfies Record<GateCheck, (due: Due) => boolean>;

/** In the order in which they are looked at. Without a look at the tree `scope` and `changes` find nothing. */
export function dueChecks(
  role: ResolvedRole,
  { schema }: { schema?: object | undefined },
  commands: readonly string[],
) {
  return GATE_CHECKS.filter((check) => DUE[check]({ role, schema, commands }));
}
