// Lists the agent CLIs that the toolkit wraps.

export const TOOLS = ['gemini', 'copilot', 'codex', 'claude'] as const;

export type BuiltIn = (typeof TOOLS)[number];

declare const own: unique symbol;

/** The name of a CLI that a project describes in its `tollgate.yaml`. */
export type OwnTool = string & { readonly [own]: true };

export type Tool = BuiltIn | OwnTool;

/** Our command that calls each: `bin/<name>.ts`, and in package.json with and without `.sh`. */
export const COMMANDS = {
  gemini: 'gemini_headless',
  copilot: 'copilot_tool',
  codex: 'run_codex',
  claude: 'claude_headless',
} as const satisfies Record<BuiltIn, string>;

/** For users: `a, b and c`. */
export const namedTools = (last: 'and' | 'or'): string => `${TOOLS.slice(0, -1).join(', ')} ${last} ${TOOLS.at(-1)}`;

export const isBuiltIn = (name: unknown): name is BuiltIn => TOOLS.includes(name as BuiltIn);

/** Used in names of files and stages, and in arguments. */
export const TOOL_NAME = /^[a-z][a-z0-9_-]{0,40}$/;

const isOwnTool = (name: unknown): name is OwnTool =>
  typeof name === 'string' && TOOL_NAME.test(name) && !isBuiltIn(name);

export const isTool = (name: unknown): name is Tool => isBuiltIn(name) || isOwnTool(name);

/** Looks up a tool's row. A table has a row for each built-in CLI; `other` is for a CLI that a project describes. */
export const rowOf = <Row, Other>(table: Readonly<Record<BuiltIn, Row>>, tool: Tool, other: Other): Row | Other =>
  Object.hasOwn(table, tool) ? table[tool as BuiltIn] : other;
