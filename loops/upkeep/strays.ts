// Removes our folders that no register lists: from before there was one, or from where none could be written.

import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { namesIfAny } from '../../state/disk/folder.ts';
import { isSystemError } from '../../state/system-error.ts';
import { lookAtFolder, type PrivateFolderKind, removePrivateFolder } from '../attempt/attempt.ts';
import type { Sweeping, Swept } from './swept.ts';

/** Longer than any known call takes. A younger folder may belong to another container, whose processes are not visible here. */
const OLD_MS = 24 * 3_600_000;

/**
 * Removes folders that have not changed for a day and that no other user may enter. No living process may have them in its
 * environment, open, or as its folder. Only Linux shows this, so on other systems they remain.
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
    const told = `${folder}, in which nothing changed for a day and that no call uses, was removed`;
    return [{ what: 'folder', how: 'removed', call_id: null, task: null, place: folder, told, fix: null }];
  });
}

/** Uses the places that nameAttempt and gemini's overlay choose. Folders of another home are not touched. */
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

/** Collects every readable environment, open file, working folder and command line. */
function usedText(): string {
  const pieces: string[] = [];
  const look = (read: () => string) => {
    try {
      pieces.push(read());
    } catch {
      // The process is gone, or belongs to another user, who could not enter the folder.
    }
  };
  for (const pid of namesIfAny('/proc').filter((name) => /^\d+$/.test(name))) {
    for (const name of ['environ', 'cmdline']) look(() => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
    look(() => readlinkSync(`/proc/${pid}/cwd`));
    for (const fd of namesIfAny(`/proc/${pid}/fd`)) look(() => readlinkSync(`/proc/${pid}/fd/${fd}`));
  }
  return pieces.join('\n');
}
