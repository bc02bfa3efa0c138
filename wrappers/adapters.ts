// The rows, by the name of their CLI.

import type { Tool } from '../policies/facts/tools.ts';
import type { Adapter } from './adapter.ts';
import { CLAUDE } from './claude/row.ts';
import { CODEX } from './codex/row.ts';
import { COPILOT } from './copilot/row.ts';
import { GEMINI } from './gemini/row.ts';

export const ADAPTERS = { gemini: GEMINI, copilot: COPILOT, codex: CODEX, claude: CLAUDE } as const satisfies Record<
  Tool,
  Adapter
>;
