// Defines the name prefixes of what calls put into their own folders: they mark it as ours, whichever CLI made it.

import type { BuiltIn } from './tools.ts';

/** A folder of its overlay: this, and six random letters; null if it makes none. */
export const OVERLAY_FOLDERS = {
  gemini: 'gemini-',
  copilot: null,
  codex: null,
  claude: null,
} as const satisfies Record<BuiltIn, string | null>;

/** A report of a failure that it writes to its $TMPDIR; null if it writes none. */
export const FAILURE_REPORTS = {
  gemini: 'gemini-client-error-',
  copilot: null,
  codex: null,
  claude: null,
} as const satisfies Record<BuiltIn, string | null>;
