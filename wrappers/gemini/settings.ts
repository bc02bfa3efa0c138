// Locates gemini's settings files, and reads JSON with comments as gemini does.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { withoutComments } from '../../policies/text/json.ts';
import { readFollowedIfFit } from '../../state/disk/regular-file.ts';

export type Settings = Record<string, unknown>;

interface SettingsFiles {
  /** An administrator's file; empty if gemini has no place for one. */
  system: string;
  project: string;
  user: string;
}

/** In the order of precedence for gemini. */
export function settingsFiles(environment: NodeJS.ProcessEnv, home: string, cwd: string): SettingsFiles {
  return {
    system: environment.GEMINI_CLI_SYSTEM_SETTINGS_PATH || SYSTEM_SETTINGS[process.platform] || '',
    project: path.join(cwd, '.gemini/settings.json'),
    user: path.join(userFolder(environment, home), 'settings.json'),
  };
}

/** The folder where gemini keeps the user's data. */
export const userFolder = (environment: NodeJS.ProcessEnv, home: string): string =>
  path.join(environment.GEMINI_CLI_HOME || home, '.gemini');

const SYSTEM_SETTINGS: Partial<Record<NodeJS.Platform, string>> = {
  linux: '/etc/gemini-cli/settings.json',
  darwin: '/Library/Application Support/GeminiCli/settings.json',
};

const MAX_BYTES = 4 * 1024 * 1024;

/** @returns null if there are none; 'unreadable' if gemini refuses to start with them (exit 52). */
export function readSettings(file: string): Settings | null | 'unreadable' {
  const text = readFollowedIfFit(file, MAX_BYTES);
  if (text === null) return existsSync(file) ? 'unreadable' : null;
  try {
    // A comma before a closing bracket is kept: gemini 0.61 exits 52 on it.
    const settings: unknown = JSON.parse(withoutComments(text));
    const isObject = typeof settings === 'object' && settings !== null && !Array.isArray(settings);
    return isObject ? (settings as Settings) : 'unreadable';
  } catch {
    return 'unreadable';
  }
}
