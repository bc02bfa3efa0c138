// Reads claude's settings files, in their order of precedence.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Json, parseObject, partOf, textOf } from '../../policies/text/json.ts';
import { readFollowedIfFit } from '../../state/disk/regular-file.ts';
import { claudeHome } from './home.ts';

export interface SettingsFile {
  file: string;
  /** null if the file is not JSON, which claude ignores silently. */
  settings: Json | null;
}

/** Existing files, the highest precedence first. @param whose `own` omits the project's, which an attacker may have written. */
export function readSettings(
  { environment, cwd }: { environment: NodeJS.ProcessEnv; cwd: string },
  whose: 'all' | 'own' = 'all',
): SettingsFile[] {
  const home = claudeHome(environment);
  const ofProject = ['settings.local.json', 'settings.json'].map((name) => path.join(cwd, '.claude', name));
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

/** @returns null if it cannot be read as a JSON object. */
export function readObject(file: string): Json | null {
  const text = readFollowedIfFit(file, MAX_BYTES);
  return text === null ? null : parseObject(text);
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
