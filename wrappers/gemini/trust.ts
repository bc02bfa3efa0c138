// Predicts whether gemini starts in a folder: without a terminal it exits 55 in an untrusted one (0.45.2 to 0.61.0).

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { partOf } from '../../policies/text/json.ts';
import { isWithin } from '../../state/disk/real-folder.ts';
import type { FolderRequest } from '../adapter.ts';
import { homeOf } from '../home.ts';
import { readSettings, settingsFiles, userFolder } from './settings.ts';

/** Settings or variables trust a folder. @returns null too if gemini decides: unreadable settings, or an editor. */
export function refusesFolder({ trustWorkspace, environment, cwd }: FolderRequest): string | null {
  if (trustWorkspace || environment.GEMINI_CLI_TRUST_WORKSPACE === 'true') return null;
  if (environment.GEMINI_CLI_IDE_SERVER_PORT || environment.GEMINI_CLI_INTEGRATION_TEST) return null;
  const home = homeOf(environment) ?? cwd;
  if (Object.values(settingsFiles(environment, home, cwd)).some(switchesTrustOff)) return null;
  const file =
    environment.GEMINI_CLI_TRUSTED_FOLDERS_PATH || path.join(userFolder(environment, home), 'trustedFolders.json');
  const rules = readSettings(file);
  if (rules === 'unreadable' || isTrusted(rules ?? {}, realOf(cwd))) return null;
  return `gemini refuses to start in ${cwd}, which is not a trusted folder`;
}

/** gemini requires trust unless a settings file disables it. */
function switchesTrustOff(file: string): boolean {
  const settings = readSettings(file);
  if (settings === 'unreadable') return true;
  return partOf(partOf(settings?.security)?.folderTrust)?.enabled === false;
}

/** The rule with the longest path decides. */
function isTrusted(rules: Readonly<Record<string, unknown>>, cwd: string): boolean {
  const matching = Object.entries(rules)
    .filter(([folder, level]) => isWithin(realOf(level === 'TRUST_PARENT' ? path.dirname(folder) : folder), cwd))
    .sort(([one], [other]) => other.length - one.length);
  return matching.length > 0 && matching[0]![1] !== 'DO_NOT_TRUST';
}

function realOf(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
