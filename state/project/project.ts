// Reads tollgate.yaml at a project's root, if it has one.

import path from 'node:path';
import { NO_PROJECT_FILE, type ProjectFile } from '../../policies/manifest/project-file.ts';
import { kindOf } from '../disk/regular-file.ts';
import type { GivenTool } from './own-tool-schema.ts';
import { ownToolRows } from './own-tools.ts';
import { readYaml, type YamlRead } from './yaml-file.ts';

export const PROJECT_FILES = ['tollgate.yaml', 'tollgate.yml'];

export async function readProject(root: string): Promise<YamlRead<ProjectFile>> {
  const file = projectFile(root);
  if (file === null) return { how: 'read', value: NO_PROJECT_FILE, has: () => false, lineOf: () => 1 };
  const read = await readYaml(file, 'a project file', async () => (await import('./project-schema.ts')).PROJECT);
  if (read.how === 'invalid') return read;
  const { tools, sessions, prompts, ...rest } = read.value;
  const value = {
    ...rest,
    tools: ownToolRows(tools, root),
    sessions: { ...sessions, context_limit: { ...sessions.context_limit, ...limitsIn(tools, 'context_limit') } },
    prompts: { ...prompts, max_chars: { ...prompts.max_chars, ...limitsIn(tools, 'max_chars') } },
  } as ProjectFile;
  return { ...read, value };
}

/** What a project says of the CLIs that it describes stands beside what it says of the built-in ones. */
const limitsIn = (tools: Readonly<Record<string, GivenTool>>, field: 'context_limit' | 'max_chars') =>
  Object.fromEntries(Object.entries(tools).flatMap(([name, { [field]: limit }]) => (limit ? [[name, limit]] : [])));

/** null where it has none. */
export const projectFile = (root: string): string | null =>
  PROJECT_FILES.map((name) => path.join(root, name)).find((file) => kindOf(file) !== null) ?? null;
