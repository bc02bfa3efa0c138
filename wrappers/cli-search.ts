// Finds an agent CLI: on the PATH, or in the folders where installers put it without telling this shell.

import path from 'node:path';
import { namesIfAny } from '../state/disk/folder.ts';
import { findBinary } from './find-binary.ts';
import type { Surroundings } from './sign-in/sign-in.ts';
import { readText } from './sign-in/text-file.ts';

export interface CliLocation {
  file: string;
  /** A call starts its CLI by name, so one beside the PATH is not found by it. */
  where: 'on_path' | 'beside_path';
}

export function findCli(binary: string, surroundings: Surroundings): CliLocation | null {
  const onPath = findBinary(binary, surroundings.environment.PATH);
  if (onPath !== null) return { file: onPath, where: 'on_path' };
  const beside = findBinary(binary, usualHomes(surroundings).join(path.delimiter));
  return beside === null ? null : { file: beside, where: 'beside_path' };
}

/** The project's own installation first, then npm's, then those of the version managers (newest Node first). */
function usualHomes({ environment, home, cwd }: Surroundings): string[] {
  const data = environment.XDG_DATA_HOME || path.join(home, '.local/share');
  const fnm = environment.FNM_DIR
    ? [environment.FNM_DIR]
    : [path.join(data, 'fnm'), path.join(home, '.fnm'), path.join(home, 'Library/Application Support/fnm')];
  return [
    ...upwards(cwd).map((folder) => path.join(folder, 'node_modules/.bin')),
    ...npmPrefixes(environment, home).map((prefix) => path.join(prefix, 'bin')),
    path.dirname(process.execPath),
    path.join(home, '.npm-global/bin'),
    path.join(home, '.local/bin'),
    path.join(home, 'bin'),
    ...newestFirst(path.join(environment.NVM_DIR || path.join(home, '.nvm'), 'versions/node'), 'bin'),
    ...fnm.map((folder) => path.join(folder, 'aliases/default/bin')),
    ...fnm.flatMap((folder) => newestFirst(path.join(folder, 'node-versions'), 'installation/bin')),
    path.join(environment.VOLTA_HOME || path.join(home, '.volta'), 'bin'),
    path.join(environment.ASDF_DATA_DIR || path.join(home, '.asdf'), 'shims'),
    path.join(data, 'mise/shims'),
    environment.PNPM_HOME || path.join(data, 'pnpm'),
    path.join(home, 'Library/pnpm'),
    path.join(environment.BUN_INSTALL || path.join(home, '.bun'), 'bin'),
    path.join(environment.HOMEBREW_PREFIX || '/opt/homebrew', 'bin'),
    '/home/linuxbrew/.linuxbrew/bin',
    '/usr/local/bin',
  ];
}

function upwards(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...upwards(parent)];
}

function npmPrefixes(environment: NodeJS.ProcessEnv, home: string): string[] {
  const configured = /^\s*prefix\s*=\s*"?([^"\n]+?)"?\s*$/m.exec(readText(path.join(home, '.npmrc')) ?? '')?.[1];
  return [environment.npm_config_prefix, environment.NPM_CONFIG_PREFIX, configured]
    .filter((prefix) => prefix !== undefined && prefix !== '')
    .map((prefix) => prefix!.replace(/^(~|\$\{HOME\}|\$HOME)(?=\/|$)/, home));
}

function newestFirst(folder: string, inside: string): string[] {
  const byNumber = new Intl.Collator('en', { numeric: true });
  return namesIfAny(folder)
    .sort((a, b) => byNumber.compare(b, a))
    .map((name) => path.join(folder, name, inside));
}
