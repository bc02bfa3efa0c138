// Reads claude's settings files, in their order of precedence.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Json, listOf, parseObject, partOf, textOf } from '../../policies/text/json.ts';
import { readFollowed, readFollowedIfFit, UnfitFileError } from '../../state/disk/regular-file.ts';
import type { FolderRequest, Ignored } from '../adapter.ts';
import { unstartableServers } from '../startable.ts';
import { claudeHome } from './home.ts';

export interface SettingsFile {
  file: string;
  /** null if the file is not JSON, which claude ignores silently, or cannot be read. */
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
  // In the home folder, the project's file is the user's own.
  return [...new Set(files)]
    .filter((file) => existsSync(file))
    .map((file) => ({ file, settings: readObject(file, MAX_SETTINGS_BYTES) }));
}

export const MANAGED: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ['/etc/claude-code/managed-settings.json'],
  darwin: ['/Library/Application Support/ClaudeCode/managed-settings.json'],
};

/** Settings that are not JSON, deny rules and all, and MCP servers of this folder or one above. */
export function ignores({ environment, cwd }: FolderRequest): Ignored[] {
  const read = readSettings({ environment, cwd });
  const broken = read.filter(({ settings }) => settings === null);
  const isOff = (name: string) => read.some(({ settings }) => listOf(settings?.disabledMcpjsonServers).includes(name));
  return [
    ...broken.map(({ file }): Ignored => ({ what: 'settings', file, why: settingsMistake(file) })),
    ...foldersAbove(cwd).flatMap((folder): Ignored[] => {
      const file = path.join(folder, '.mcp.json');
      if (!existsSync(file)) return [];
      const found = readObject(file);
      if (found !== null) return unstartableServers(found.mcpServers, ['command', 'url'], file, isOff);
      const { why, isTooLarge } = mistakeIn(file, MAX_BYTES);
      return isTooLarge ? [] : [{ what: 'servers', file, why }];
    }),
  ];
}

interface Mistake {
  /** Half a sentence. */
  why: string;
  /** claude itself reads it. */
  isTooLarge?: true;
}

/** Why `readObject` gives null. */
function mistakeIn(file: string, maxBytes: number): Mistake {
  try {
    readFollowed(file, maxBytes);
    return { why: 'is not a JSON object' };
  } catch (error) {
    if (!(error instanceof UnfitFileError)) return { why: `cannot be read (${(error as Error).message})` };
    return { why: error.why, ...(error.code === 'EFBIG' ? { isTooLarge: true } : {}) };
  }
}

const settingsMistake = (file: string): string =>
  `${mistakeIn(file, MAX_SETTINGS_BYTES).why}, and claude would ignore it without a message, its deny rules too`;

function foldersAbove(folder: string): string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}

/** @returns null if it cannot be read as a JSON object. An empty file counts as one without settings, as for claude. */
export function readObject(file: string, maxBytes = MAX_BYTES): Json | null {
  const text = readFollowedIfFit(file, maxBytes)?.replace(/^\ufeff/, '');
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

/** claude 2.1.332 itself reads no larger settings file; 2.1.100 does. */
const MAX_SETTINGS_BYTES = 2 * 1024 * 1024;

const MAX_BYTES = 4 * 1024 * 1024;
