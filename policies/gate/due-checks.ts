// Lists the checks that a stage needs, one row for each check.

import { GATE_CHECKS, type GateCheck } from '../facts/gate-record.ts';
import type { ResolvedRole } from '../manifest/resolved-role.ts';

interface Due {
  role: ResolvedRole;
  /** The stage's own schema. */
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

/** In the order of the checks. If the tree was not examined, `scope` and `changes` find nothing. */
export function dueChecks(
  role: ResolvedRole,
  { schema }: { schema?: object | undefined },
  commands: readonly string[],
) {
  return GATE_CHECKS.filter((check) => DUE[check]({ role, schema, commands }));
}
