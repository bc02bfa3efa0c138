// Finds the CLI of a name: a built-in one, or one that tollgate.yaml of a trusted project describes.

import { isBuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { nearest } from '../../policies/text/nearest.ts';
import { CATALOGUE } from '../../state/project/catalogue.ts';
import { readProject } from '../../state/project/project.ts';
import { projectRoot } from '../../state/task-folder.ts';
import { isTrustedProject } from '../../state/trusted-folders.ts';
import type { Adapter } from '../../wrappers/adapter.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { ownAdapter } from '../../wrappers/own/adapter.ts';

interface Wanted {
  cwd: string;
  environment: NodeJS.ProcessEnv;
  isTrusted: boolean;
  /** How the caller would say so, in words. */
  wayToTrust: string;
  /** What to type for a user who gave a prompt instead of a name, and for one who misspelt the name; absent if neither can be. */
  wayToCall?: (tool: string | null) => string;
}

/** @returns the adapter, or a sentence that says why there is none. */
export async function findAdapter(
  name: string,
  { cwd, environment, isTrusted, wayToTrust, wayToCall }: Wanted,
): Promise<Adapter | string> {
  if (isBuiltIn(name)) return adapterOf(name);
  const project = await readProject(projectRoot(cwd));
  if (project.how === 'invalid') return project.message;
  const { tools, unsound } = project.value;
  if (Object.hasOwn(unsound, name)) return unsound[name]!;
  if (Object.hasOwn(CATALOGUE, name) && !Object.hasOwn(tools, name))
    return `${name} is in the catalogue, but not in tollgate.yaml: run \`tollgate tools add ${name}\` first`;
  if (!Object.hasOwn(tools, name)) {
    const known = [...TOOLS, ...Object.keys(tools)];
    const near = nearest(name, known);
    const meant = near === null ? '' : ` Did you mean ${near}?`;
    return `there is no CLI "${name}"; the CLIs are ${known.join(', ')}.${meant}${wayToCall === undefined ? '' : ` ${wayToCall(near)}`}`;
  }
  if (isTrusted || isTrustedProject(cwd, environment)) return ownAdapter(tools[name]!);
  return `tollgate.yaml describes ${name}, and that counts only in a trusted workspace: if you trust it, ${wayToTrust}, or run \`tollgate trust\` there once`;
}
