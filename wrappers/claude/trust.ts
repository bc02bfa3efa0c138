// Whether the user has trusted the folder that claude would run in: headless it asks nobody, and runs the hooks, servers and settings of any.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { parseObject, partOf } from '../../policies/text/json.ts';
import type { FolderRequest } from '../adapter.ts';
import { claudeHome, memoryMistake, readMemory } from './home.ts';

export function distrusts({ trustWorkspace, environment, cwd }: FolderRequest): string | null {
  if (trustWorkspace || isTrusted(environment, realOf(cwd))) return null;
  const home = claudeHome(environment);
  const unread = home === null ? null : memoryMistake(home);
  const known = unread === null ? '' : ` (whether claude trusts it is not known: ${unread})`;
  return `${cwd} is not a trusted folder, and claude would run its hooks, MCP servers and settings unasked${known}`;
}

/** A link in a trusted folder may lead to anybody's. */
function realOf(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

/** By claude's own dialogue, there or in a folder above. */
function isTrusted(environment: NodeJS.ProcessEnv, cwd: string): boolean {
  const home = claudeHome(environment);
  const projects = home === null ? null : partOf(parseObject(readMemory(home) ?? '')?.projects);
  if (projects === null) return false;
  for (let at = cwd; ; at = path.dirname(at)) {
    if (partOf(projects[at])?.hasTrustDialogAccepted === true) return true;
    if (at === path.dirname(at)) return false;
  }
}
