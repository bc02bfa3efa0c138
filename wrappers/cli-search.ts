// Finds an agent CLI on the PATH, or in the folders where installers put it without adding them to this shell's PATH.

import path from 'node:path';
import { namesIfAny } from '../state/disk/folder.ts';
import { isWithin, realOr } from '../state/disk/real-folder.ts';
import { lookAt } from '../state/disk/regular-file.ts';
import { absoluteFolders, findBinary } from './find-binary.ts';
import { readText, type Surroundings } from './sign-in.ts';

export interface CliLocation {
  file: string;
  /** A call starts its CLI by name, so it does not find a CLI that is outside the PATH. */
  where: 'on_path' | 'beside_path';
  /** The author of the project decides what this program does. It may be started for its version only in a trusted folder. */
  isOfProject: boolean;
}

/** @param root of the project. Folders above it may belong to any user, and are not searched. */
export function findCli(binary: string, surroundings: Surroundings, root: string): CliLocation | null {
  const { environment, home } = surroundings;
  const located = (file: string, where: CliLocation['where']): CliLocation => ({
    file,
    where,
    isOfProject: isInProject(file, root, home),
  });
  const onPath = findBinary(binary, environment.PATH);
  if (onPath !== null) return located(onPath, 'on_path');
  const beside = findBinary(binary, usualHomes(surroundings, root).filter(isOursAlone).join(path.delimiter));
  return beside === null ? null : located(beside, 'beside_path');
}

/** The folders of a PATH that are not in the project. */
export const foldersOutside = (searchPath: string | undefined, root: string, home: string): string =>
  absoluteFolders(searchPath)
    .filter((folder) => !isInProject(path.join(folder, 'x'), root, home))
    .join(path.delimiter);

/** Whether its folder, or its link's target, is in the project. A home that is one holds the user's own programs. */
function isInProject(file: string, root: string, home: string): boolean {
  if (isWithin(realOr(root), realOr(home))) return false;
  return [path.dirname(file), file].some((place) => isWithin(realOr(root), realOr(place)));
}

/** Whether no other user may put a program there: this user or root owns the folder, and it is not writable for everyone. */
function isOursAlone(folder: string): boolean {
  const found = lookAt(folder);
  const uid = process.getuid?.();
  if (found === null || uid === undefined) return true;
  return (found.uid === uid || found.uid === 0) && (found.mode & 0o002) === 0;
}

/** The project's own installation, then npm's, then those of the version managers, newest Node first. */
function usualHomes({ environment, home, cwd }: Surroundings, root: string): string[] {
  const data = environment.XDG_DATA_HOME || path.join(home, '.local/share');
  const fnm = environment.FNM_DIR
    ? [environment.FNM_DIR]
    : [path.join(data, 'fnm'), path.join(home, '.fnm'), path.join(home, 'Library/Application Support/fnm')];
  return [
    ...upwards(cwd, root).map((folder) => path.join(folder, 'node_modules/.bin')),
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

function upwards(folder: string, root: string): string[] {
  return folder === root || folder === path.dirname(folder)
    ? [folder]
    : [folder, ...upwards(path.dirname(folder), root)];
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
