// How the names begin of what the CLIs' calls leave in folders of their own: by them it is known for ours, whichever CLI it was.

import type { BuiltIn } from './tools.ts';

/** A folder of its overlay: this, and six letters of chance; null where it makes none. */
export const OVERLAY_FOLDERS = {
  gemini: 'gemini-',
  copilot: null,
  codex: null,
  claude: null,
} as const satisfies Record<BuiltIn, string | null>;

/** A report of a failure that it leaves in its $TMPDIR; null where it leaves none. */
export const FAILURE_REPORTS = {
  gemini: 'gemini-client-error-',
  copilot: null,
  codex: null,
  claude: null,
} as const satisfies Record<BuiltIn, string | null>;
