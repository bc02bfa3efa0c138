// Names what calls put into folders, so that it is recognised as ours, whichever CLI made it.

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

/** The file of a call's event stream: the answer's path with `.raw` instead of a final `.out`, or appended. */
export const rawOf = (out: string): string => `${out.replace(/\.out$/, '')}.raw`;
