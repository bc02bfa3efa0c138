// Folders of our making that no register knows: from before there was one, or from where none could be written.

import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { namesIfAny } from '../../state/disk/folder.ts';
import { isSystemError } from '../../state/system-error.ts';
import { lookAtFolder, type PrivateFolderKind, removePrivateFolder } from '../attempt/private-folders.ts';
import type { Sweeping, Swept } from './swept.ts';

/** Longer than any call is known to take; and what is younger may be another container's, whose processes are not seen here. */
const OLD_MS = 24 * 3_600_000;

/**
 * Removes those in which nothing has changed for a day, that nobody but us may enter, and that no living process has in
 * its environment, open, or as its folder. Only Linux tells that, so elsewhere they stay.
 */
export async function sweepStrays({ environment, clock }: Sweeping): Promise<Swept[]> {
  if (process.platform !== 'linux') return [];
  const before = clock().getTime() - OLD_MS;
  const strays = placesOf(environment).flatMap(([what, parent]) =>
    namesIfAny(parent)
      .map((name) => ({ what, folder: path.join(parent, name) }))
      .filter(({ folder }) => lookAtFolder(what, folder) === 'ours' && isStill(folder, before)),
  );
  if (strays.length === 0) return [];
  const used = usedText();
  return strays.flatMap(({ what, folder }) => {
    if (used.includes(folder) || !removePrivateFolder(what, folder)) return [];
    const told = `${folder}, in which nothing changed for a day and that nobody uses, was removed`;
    return [{ what: 'folder', how: 'removed', call_id: null, task: null, place: folder, told, fix: null }];
  });
}

/** As nameAttempt and gemini's overlay choose them; another home than the one at hand is left alone. */
function placesOf({ TMPDIR, XDG_RUNTIME_DIR, XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv): [PrivateFolderKind, string][] {
  const bases = [XDG_RUNTIME_DIR, XDG_CACHE_HOME, HOME && path.join(HOME, '.cache')];
  const overlays = new Set(bases.filter((base): base is string => !!base && path.isAbsolute(base)));
  return [
    ['temporary', path.resolve(TMPDIR || tmpdir())],
    ...[...overlays].map((base): [PrivateFolderKind, string] => ['overlay', path.join(base, 'tollgate')]),
  ];
}

function isStill(folder: string, before: number): boolean {
  try {
    const found = lstatSync(folder);
    if ((found.mode & 0o077) !== 0) return false;
    const names = readdirSync(folder).map((name) => path.join(folder, name));
    return [folder, ...names].every((file) => lstatSync(file).mtimeMs < before);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return false;
  }
}

/** Every environment, open file, working folder and command line that we may look at. */
function usedText(): string {
  const pieces: string[] = [];
  const look = (read: () => string) => {
    try {
      pieces.push(read());
    } catch {
      // It is gone, or another user's, who could not enter the folder.
    }
  };
  for (const pid of namesIfAny('/proc').filter((name) => /^\d+$/.test(name))) {
    for (const name of ['environ', 'cmdline']) look(() => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
    look(() => readlinkSync(`/proc/${pid}/cwd`));
    for (const fd of namesIfAny(`/proc/${pid}/fd`)) look(() => readlinkSync(`/proc/${pid}/fd/${fd}`));
  }
  return pieces.join('\n');
}
