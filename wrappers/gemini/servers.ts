// The MCP servers that gemini's files configure: of the user, the project, an administrator and extensions.

import path from 'node:path';
import { type Json, listOf, partOf } from '../../policies/text/json.ts';
import { namesIfAny } from '../../state/disk/folder.ts';
import type { CallRequest } from '../adapter.ts';
import { homeOf } from '../home.ts';
import { readSettings, settingsFiles, userFolder } from './settings.ts';

/** gemini reports a server that failed, and says nothing of one that it does not know. */
export function missingServer(request: CallRequest): string | null {
  const { servers = [] } = request.requires ?? {};
  if (servers === 'all' || servers.length === 0) return null;
  const { environment, cwd } = request;
  const home = homeOf(environment) ?? cwd;
  const files = settingsFiles(environment, home, cwd);
  const extensions = path.join(userFolder(environment, home), 'extensions');
  const settings = [files.system, files.project, files.user].filter((file) => file !== '').map(readSettings);
  const manifests = namesIfAny(extensions).map((name) =>
    readSettings(path.join(extensions, name, 'gemini-extension.json')),
  );
  const read = [...settings, ...manifests];
  // gemini itself refuses to start with such a file, or says what it lacks.
  if (read.includes('unreadable')) return null;
  const known = read.map((one) => partOf(one)).filter((one) => one !== null);
  const names = new Set(known.flatMap((one) => Object.keys(partOf(one.mcpServers) ?? {})));
  const missing = servers.find((name) => !names.has(name));
  if (missing !== undefined)
    return `required MCP server "${missing}" is not configured: it is not among mcpServers in ${files.user} or ${files.project}`;
  const excluded = servers.find((name) => known.some((one) => isExcluded(partOf(one.mcp), name)));
  return excluded === undefined
    ? null
    : `required MCP server "${excluded}" is excluded by mcp.excluded or mcp.allowed in gemini's settings`;
}

const isExcluded = (mcp: Json | null, name: string): boolean =>
  listOf(mcp?.excluded).includes(name) || (Array.isArray(mcp?.allowed) && !mcp.allowed.includes(name));
