// gemini's settings: in which files they lie, and JSON with comments read as gemini reads it.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { readFollowedIfFit } from '../../state/disk/regular-file.ts';

export type Settings = Record<string, unknown>;

interface SettingsFiles {
  /** An administrator's; empty where gemini has no place for them. */
  system: string;
  project: string;
  user: string;
}

/** In the order in which gemini heeds them. */
export function settingsFiles(environment: NodeJS.ProcessEnv, home: string, cwd: string): SettingsFiles {
  return {
    system: environment.GEMINI_CLI_SYSTEM_SETTINGS_PATH || SYSTEM_SETTINGS[process.platform] || '',
    project: path.join(cwd, '.gemini/settings.json'),
    user: path.join(userFolder(environment, home), 'settings.json'),
  };
}

/** Where gemini keeps what is the user's own. */
export const userFolder = (environment: NodeJS.ProcessEnv, home: string): string =>
  path.join(environment.GEMINI_CLI_HOME || home, '.gemini');

const SYSTEM_SETTINGS: Partial<Record<NodeJS.Platform, string>> = {
  linux: '/etc/gemini-cli/settings.json',
  darwin: '/Library/Application Support/GeminiCli/settings.json',
};

const MAX_BYTES = 4 * 1024 * 1024;

/** null when there are none; 'unreadable' for what gemini refuses to start with (exit 52). */
export function readSettings(file: string): Settings | null | 'unreadable' {
  const text = readFollowedIfFit(file, MAX_BYTES);
  if (text === null) return existsSync(file) ? 'unreadable' : null;
  try {
    const settings: unknown = JSON.parse(withoutComments(text));
    const isObject = typeof settings === 'object' && settings !== null && !Array.isArray(settings);
    return isObject ? (settings as Settings) : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/**
 * A comma before a closing bracket stays: gemini 0.61 exits 52 on it. An unclosed string or comment runs to the end,
 * as gemini takes it; so each alternative matches wherever it begins, and the time is linear.
 */
const withoutComments = (text: string) =>
  text.replace(
    /("[^"\\]*(?:\\[\s\S]?[^"\\]*)*(?:"|$))|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g,
    (_, quoted?: string) => quoted ?? ' ',
  );
