// Lists the valid CLIs of a project file, whatever else in it is wrong, for callers that list but do not call them.

import type { OwnToolRow } from '../../policies/rules/description.ts';
import { ownToolRows } from './own-tools.ts';
import { projectFile, readProject } from './project.ts';
import { readYaml } from './yaml-file.ts';

interface SoundTools {
  tools: Readonly<Record<string, OwnToolRow>>;
  /** What is wrong with the file, one sentence each. */
  mistakes: readonly string[];
}

export async function readSoundTools(root: string): Promise<SoundTools> {
  const project = await readProject(root);
  if (project.how === 'read') {
    const { tools, unsound } = project.value;
    return { tools, mistakes: Object.values(unsound).flatMap((message) => message.split('\n')) };
  }
  const mistakes = project.message.split('\n');
  const { ANY_TOOLS, OWN_TOOLS } = await import('./own-tool-schema.ts');
  const read = await readYaml(projectFile(root)!, 'a project file', async () => ANY_TOOLS);
  if (project.kind === 'unreadable' || read.how === 'invalid') return { tools: {}, mistakes };
  const sound = Object.entries(read.value.tools).flatMap(([name, row]) => {
    const parsed = OWN_TOOLS.safeParse({ [name]: row });
    return parsed.success ? Object.entries(ownToolRows(parsed.data, root)) : [];
  });
  return { tools: Object.fromEntries(sound), mistakes };
}
