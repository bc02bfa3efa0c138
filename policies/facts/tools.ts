// The agent CLIs that the toolkit wraps.

export const TOOLS = ['gemini', 'copilot', 'codex', 'claude'] as const;

export type Tool = (typeof TOOLS)[number];

/** The command of ours that calls each: `bin/<name>.ts`, and in package.json with and without `.sh`. */
export const COMMANDS = {
  gemini: 'gemini_headless',
  copilot: 'copilot_tool',
  codex: 'run_codex',
  claude: 'claude_headless',
} as const satisfies Record<Tool, string>;

/** For people: `a, b and c`. */
export const namedTools = (last: 'and' | 'or'): string => `${TOOLS.slice(0, -1).join(', ')} ${last} ${TOOLS.at(-1)}`;

export const isTool = (name: unknown): name is Tool => TOOLS.includes(name as Tool);
