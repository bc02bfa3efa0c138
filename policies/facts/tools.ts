// The three agent CLIs that the toolkit wraps.

export const TOOLS = ['gemini', 'copilot', 'codex'] as const;

export type Tool = (typeof TOOLS)[number];

export const isTool = (name: unknown): name is Tool => TOOLS.includes(name as Tool);
