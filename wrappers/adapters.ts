// Lists the rows of the built-in CLIs by name. All other code gets the row of any CLI here.

import { type BuiltIn, isBuiltIn, type Tool } from '../policies/facts/tools.ts';
import type { Adapter } from './adapter.ts';
import { CLAUDE } from './claude/row.ts';
import { CODEX } from './codex/row.ts';
import { COPILOT } from './copilot/row.ts';
import { GEMINI } from './gemini/row.ts';
import { describedAdapter } from './own/described.ts';

export const ADAPTERS = { gemini: GEMINI, copilot: COPILOT, codex: CODEX, claude: CLAUDE } as const satisfies Record<
  BuiltIn,
  Adapter
>;

/** The row of a project's own CLI is the one that its description gave when it was read. */
export const adapterOf = (tool: Tool): Adapter => (isBuiltIn(tool) ? ADAPTERS[tool] : describedAdapter(tool));

/** The Tollgate script that guards a call of the CLI, and the words before its flags. */
export const guardianOf = (tool: Tool): [script: string, ...words: string[]] =>
  isBuiltIn(tool) ? [`${ADAPTERS[tool].command}.cjs`] : ['tollgate.cjs', 'call', tool];
