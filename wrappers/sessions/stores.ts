// Lists the stores of the CLIs' session files. Only code that reads or changes conversations loads it.

import type { BuiltIn } from '../../policies/facts/tools.ts';
import { CLAUDE_SESSIONS } from '../claude/sessions/store.ts';
import { CODEX_SESSIONS } from '../codex/sessions/store.ts';
import { COPILOT_SESSIONS } from '../copilot/sessions/store.ts';
import { GEMINI_SESSIONS } from '../gemini/sessions/store.ts';
import type { SessionStore } from './store.ts';

export const STORES = {
  gemini: GEMINI_SESSIONS,
  copilot: COPILOT_SESSIONS,
  codex: CODEX_SESSIONS,
  claude: CLAUDE_SESSIONS,
} as const satisfies Record<BuiltIn, SessionStore>;
