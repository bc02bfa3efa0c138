// Reads claude's settings files, in their order of precedence.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Json, parseObject, partOf, textOf } from '../../policies/text/json.ts';
import { readFollowedIfFit } from '../../state/disk/regular-file.ts';
import type { FolderRequest, Ignored } from '../adapter.ts';
import { unstartableServers } from '../startable.ts';
import { claudeHome } from './home.ts';

export interface SettingsFile {
  file: string;
  /** null if the file is not JSON, which claude ignores silently. */
  settings: Json | null;
}

/** The highest precedence first. */
export const OF_PROJECT = ['.claude/settings.local.json', '.claude/settings.json'];

/** Existing files, the highest precedence first. @param whose `own` omits the project's, which an attacker may have written. */
export function readSettings(
  { environment, cwd }: { environment: NodeJS.ProcessEnv; cwd: string },
  whose: 'all' | 'own' = 'all',
): SettingsFile[] {
  const home = claudeHome(environment);
  const ofProject = OF_PROJECT.map((name) => path.join(cwd, name));
  const files = [
    ...(MANAGED[process.platform] ?? []),
    ...(whose === 'all' ? ofProject : []),
    ...(home === null ? [] : [path.join(home.folder, 'settings.json')]),
  ];
  return files.filter((file) => existsSync(file)).map((file) => ({ file, settings: readObject(file) }));
}

export const MANAGED: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ['/etc/claude-code/managed-settings.json'],
  darwin: ['/Library/Application Support/ClaudeCode/managed-settings.json'],
};

/** Settings that are not JSON, deny rules and all, and MCP servers of this folder or one above. */
export function ignores({ environment, cwd }: FolderRequest): Ignored[] {
  const why = 'is not a JSON object';
  const broken = readSettings({ environment, cwd }).filter(({ settings }) => settings === null);
  return [
    ...broken.map(({ file }): Ignored => ({ what: 'settings', file, why })),
    ...foldersAbove(cwd).flatMap((folder): Ignored[] => {
      const file = path.join(folder, '.mcp.json');
      if (!existsSync(file)) return [];
      const read = readObject(file);
      return read === null
        ? [{ what: 'servers', file, why }]
        : unstartableServers(read.mcpServers, ['command', 'url'], file);
    }),
  ];
}

function foldersAbove(folder: string): string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}

/** @returns null if it cannot be read as a JSON object. An empty file counts as one without settings, as for claude. */
export function readObject(file: string): Json | null {
  const text = readFollowedIfFit(file, MAX_BYTES)?.replace(/^\ufeff/, '');
  if (text === undefined) return null;
  return text.trim() === '' ? {} : parseObject(text.trim());
}

/** The `env` of settings files overrides the environment itself. */
export function variable(
  name: string,
  from: readonly SettingsFile[],
  environment: NodeJS.ProcessEnv,
): { value: string; by: string } | null {
  for (const { file, settings } of from) {
    const value = textOf(partOf(settings?.env)?.[name]);
    if (value) return { value, by: `${name} in ${file}` };
  }
  const value = environment[name];
  return value ? { value, by: name } : null;
}

const MAX_BYTES = 4 * 1024 * 1024;
