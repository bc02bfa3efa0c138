// The MCP servers that claude would start: of the user, of the user for this folder, and of the project.

import path from 'node:path';
import { type Json, parseObject, partOf } from '../../policies/text/json.ts';
import type { CallRequest } from '../adapter.ts';
import { claudeHome, readMemory } from './home.ts';
import { readObject } from './settings.ts';

/** As a permission names all tools of one; a plugin's are not among them. */
export function serverRules({ environment, cwd }: Pick<CallRequest, 'environment' | 'cwd'>): string[] {
  const home = claudeHome(environment);
  const memory = home === null ? null : parseObject(readMemory(home) ?? '');
  const ofFolder = partOf(partOf(memory?.projects)?.[cwd]);
  const names = [memory, ofFolder, readObject(path.join(cwd, '.mcp.json'))].flatMap(namesIn);
  return [...new Set(names)].map((name) => `mcp__${name.replace(/[^a-zA-Z0-9_-]/g, '_')}`);
}

const namesIn = (settings: Json | null): string[] => Object.keys(partOf(settings?.mcpServers) ?? {});
