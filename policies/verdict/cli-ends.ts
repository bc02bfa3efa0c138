// What the end of each CLI tells beside its words.

import { type BuiltIn, rowOf, type Tool } from '../facts/tools.ts';

interface CliEnd {
  /** The HTTP status that its exit code stands for; null for one that stands for none. */
  statusOf(exitCode: number): number | null;
  /** Does it report success, with no tokens, where it asked no model? */
  succeedsUnasked: boolean;
}

const CLI_ENDS: Readonly<Record<BuiltIn, CliEnd>> = {
  // It exits with the status modulo 256; what would fall among its own codes is not told apart.
  gemini: { statusOf: (exitCode) => (exitCode >= 144 ? exitCode + 256 : null), succeedsUnasked: true },
  copilot: { statusOf: () => null, succeedsUnasked: false },
  codex: { statusOf: () => null, succeedsUnasked: false },
  // A prompt that it takes for a command of its own.
  claude: { statusOf: () => null, succeedsUnasked: true },
};

export const cliEndOf = (tool: Tool): CliEnd => rowOf(CLI_ENDS, tool, { statusOf: () => null, succeedsUnasked: false });
