// Reads tollgate.yaml at a project's root, if it has one, and prepares the CLIs that it describes for calls.

import path from 'node:path';
import { type BuiltIn, isBuiltIn, type OwnTool } from '../../policies/facts/tools.ts';
import { NO_PROJECT_FILE, type ProjectFile } from '../../policies/manifest/project-file.ts';
import type { OwnEvent, OwnToolRow } from '../../policies/rules/described-cli.ts';
import { kindOf } from '../disk/regular-file.ts';
import type { GivenTool } from './own-tool-schema.ts';
import type { GivenProject } from './project-schema.ts';
import { readYaml, type YamlRead } from './yaml-file.ts';

export const PROJECT_FILES = ['tollgate.yaml', 'tollgate.yml'];

/** A wrongly described CLI makes only that CLI unusable; any other mistake makes the whole file invalid. */
export async function readProject(root: string): Promise<YamlRead<ProjectFile>> {
  const file = projectFile(root);
  if (file === null) return { how: 'read', value: NO_PROJECT_FILE, has: () => false, lineOf: () => 1 };
  const whole = await readYaml(file, WHAT, async () => (await schema()).PROJECT);
  if (whole.how === 'read') return { ...whole, value: projectFrom(whole.value, {}, root) };
  const partly = whole.kind === 'unfit' ? await readAround(file, whole.message) : null;
  return partly === null ? whole : { ...partly.read, value: projectFrom(partly.read.value, partly.unsound, root) };
}

/** zod is loaded only if there is a file. */
const schema = () => import('./project-schema.ts');

export const settingsSchema = async () => (await schema()).USER_SETTINGS;

const WHAT = 'a project file';

function projectFrom({ tools, ...rest }: GivenProject, unsound: ProjectFile['unsound'], root: string): ProjectFile {
  const sound = Object.fromEntries(
    Object.entries(tools).filter(([name]) => !Object.hasOwn(unsound, name)),
  ) as unknown as GivenTools;
  const { sessions, prompts } = rest;
  return {
    ...rest,
    ...toolsOf(sound, root),
    unsound,
    sessions: { ...sessions, context_limit: { ...sessions.context_limit, ...limitsIn(sound, 'context_limit') } },
    prompts: { ...prompts, max_chars: { ...prompts.max_chars, ...limitsIn(sound, 'max_chars') } },
  } as ProjectFile;
}

/** Reads the file with plain rows for wrongly described CLIs, to know their names; null for other mistakes. */
async function readAround(file: string, message: string) {
  const { ANY_TOOLS, OWN_TOOLS, projectWith } = await schema();
  const read = await readYaml(file, WHAT, async () => ANY_TOOLS);
  if (read.how === 'invalid') return null;
  const { tools } = read.value;
  const mistakeOf = (name: string) => OWN_TOOLS.safeParse({ [name]: tools[name] }).error?.issues[0]?.message;
  const bad = Object.keys(tools).filter((name) => mistakeOf(name) !== undefined);
  // An invalid name cannot be that of a stage's CLI either.
  const named = bad.filter((name) => OWN_TOOLS.safeParse({ [name]: STAND_IN }).success);
  const rows = Object.entries(tools).flatMap(([name, row]) =>
    !bad.includes(name) ? [[name, row]] : named.includes(name) ? [[name, STAND_IN]] : [],
  );
  const rest = bad.length === 0 ? null : await readYaml(file, WHAT, async () => projectWith(Object.fromEntries(rows)));
  if (rest === null || rest.how === 'invalid') return null;
  const unsound = Object.fromEntries(
    bad.map((name) => [name, aboutTool(name, message) ?? `${file}: tools.${name} ${mistakeOf(name)}`]),
  );
  return { read: rest as YamlRead<GivenProject> & { how: 'read' }, unsound };
}

const STAND_IN = { binary: 'true' };

/** Of all mistakes in the file, the lines about this row; null if there are none. */
function aboutTool(name: string, message: string): string | null {
  const about = message.split('\n').filter((line) => {
    const at = line.indexOf(`: tools.${name}`);
    return at !== -1 && /^(?:[.[ ]|$)/.test(line.slice(at + `: tools.${name}`.length));
  });
  return about.length === 0 ? null : about.join('\n');
}

/** The limits of the CLIs that a project describes are added to those of the built-in ones. */
const limitsIn = (tools: GivenTools, field: 'context_limit' | 'max_chars') =>
  Object.fromEntries(Object.entries(tools).flatMap(([name, { [field]: limit }]) => (limit ? [[name, limit]] : [])));

/** @returns null if there is none. */
export const projectFile = (root: string): string | null =>
  PROJECT_FILES.map((name) => path.join(root, name)).find((file) => kindOf(file) !== null) ?? null;

/** A built-in CLI has a prefix alone. */
type GivenTools = Readonly<Record<string, GivenTool>>;

interface SoundTools {
  tools: ProjectFile['tools'];
  prefixes: ProjectFile['prefixes'];
  /** What is wrong with the file, one sentence each. */
  mistakes: readonly string[];
}

/** The valid CLIs of a project file, whatever else in it is wrong, for callers that list but do not call them. */
export async function readSoundTools(root: string): Promise<SoundTools> {
  const project = await readProject(root);
  if (project.how === 'read') {
    const { tools, prefixes, unsound } = project.value;
    return { tools, prefixes, mistakes: Object.values(unsound).flatMap((message) => message.split('\n')) };
  }
  const mistakes = project.message.split('\n');
  const { ANY_TOOLS, OWN_TOOLS } = await schema();
  const read = await readYaml(projectFile(root)!, WHAT, async () => ANY_TOOLS);
  if (project.kind === 'unreadable' || read.how === 'invalid') return { tools: {}, prefixes: {}, mistakes };
  const sound = Object.entries(read.value.tools).flatMap(([name, row]) => {
    const parsed = OWN_TOOLS.safeParse({ [name]: row });
    return parsed.success ? Object.entries(parsed.data) : [];
  });
  return { ...toolsOf(Object.fromEntries(sound) as GivenTools, root), mistakes };
}

/** The CLIs that a project describes, and the prefixes of the built-in ones: names filled in, paths from the project's root. */
function toolsOf(given: GivenTools, root: string): { tools: ProjectFile['tools']; prefixes: ProjectFile['prefixes'] } {
  const rows = Object.entries(given);
  return {
    tools: Object.fromEntries(
      rows.flatMap(([name, tool]) => (isBuiltIn(name) ? [] : [[name, rowOf(name as OwnTool, tool, root)]])),
    ),
    prefixes: Object.fromEntries(
      rows.flatMap(([name, { prefix }]) =>
        isBuiltIn(name) && prefix !== undefined ? [[name, prefixFrom(prefix, root)]] : [],
      ),
    ),
  };
}

const prefixFrom = ([program, ...words]: readonly string[], root: string): string[] => [
  fromRoot(program!, root),
  ...words,
];

const fromRoot = (program: string, root: string): string =>
  program.includes('/') ? path.resolve(root, program) : program;

/**
 * The prefix with which a built-in CLI is called outside of a run, or null. @returns a sentence if the file does not show whether
 * it has one: it must never be called without.
 */
export async function prefixOf(tool: BuiltIn, root: string): Promise<{ prefix: readonly string[] | null } | string> {
  if (projectFile(root) === null) return { prefix: null };
  const project = await readProject(root);
  if (project.how === 'read') {
    const { prefixes, unsound } = project.value;
    return unsound[tool] ?? { prefix: prefixes[tool] ?? null };
  }
  const tools = project.kind === 'unfit' ? (project.data as { tools?: unknown } | null)?.tools : null;
  const hasNone = tools === undefined || (typeof tools === 'object' && tools !== null && !Object.hasOwn(tools, tool));
  return hasNone ? { prefix: null } : project.message;
}

const rowOf = (name: OwnTool, tool: GivenTool, root: string): OwnToolRow => ({
  name,
  binary: fromRoot(tool.binary, root),
  ...(tool.prefix === undefined ? {} : { prefix: prefixFrom(tool.prefix, root) }),
  argv: tool.argv,
  environment: tool.environment,
  prompt: tool.prompt,
  maxPromptBytes: tool.max_prompt_bytes ?? null,
  output: tool.output,
  events: (tool.document === undefined ? (tool.events ?? []) : [{ when: {}, ...tool.document }]) as OwnEvent[],
  ...(tool.omit && { omit: tool.omit }),
  ...(tool.trailer && { trailer: tool.trailer }),
  ...(tool.log && { log: tool.log as NonNullable<OwnToolRow['log']> }),
  ...(tool.settings && { settings: tool.settings }),
  successExits: tool.success_exits,
  access: (tool.access as OwnToolRow['access']) ?? null,
  retries: tool.retries,
  version: tool.version ?? null,
  packageName: tool.package ?? null,
  timeoutMs: tool.timeout_ms,
  exits: {
    timeout: tool.exits.timeout,
    failure: tool.exits.failure,
    missingBinary: tool.exits.missing_binary,
    badInput: tool.exits.bad_input,
  },
});
