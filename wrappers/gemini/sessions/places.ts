// Finds where gemini keeps the sessions of each working folder.

import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { readRegular } from '../../../state/disk/regular-file.ts';
import { homeOf } from '../../home.ts';
import type { Lookup } from '../../sessions/store.ts';
import { linksBelow } from '../../sessions/store-folder.ts';
import { asObject } from './record.ts';

/** The place of one working folder. */
export interface GeminiPlace {
  folder: string;
  /** null if it is not known. */
  cwd: string | null;
}

/** Every place with sessions; those of the lookup's own folder first. */
export function placesOf({ environment, cwd }: Lookup): { own: GeminiPlace[]; others: GeminiPlace[] } {
  const home = environment.GEMINI_CLI_HOME || homeOf(environment);
  const root = home === null ? null : real(path.join(home, '.gemini'));
  const tmp = root === null ? null : real(path.join(root, 'tmp'));
  if (root === null || tmp === null) return { own: [], others: [] };

  const projects = readProjects(path.join(root, 'projects.json'));
  const cwds = new Set([path.resolve(cwd), real(cwd) ?? path.resolve(cwd)]);
  const hashes = new Map([...cwds, ...projects.values()].map((cwd) => [hashOf(cwd), cwd]));
  const all = names(tmp).flatMap((name): GeminiPlace[] => {
    const project = path.join(tmp, name);
    const folder = path.join(project, 'chats');
    if (!isFolder(project) || !isFolder(folder)) return [];
    return [{ folder, cwd: markedRoot(project) ?? projects.get(name) ?? hashes.get(name) ?? null }];
  });
  const isOwn = (place: GeminiPlace) => place.cwd !== null && cwds.has(place.cwd);
  return { own: all.filter(isOwn), others: all.filter((place) => !isOwn(place)) };
}

/** Links among its places and their sessions. */
export function links({ environment }: Lookup): string[] {
  const home = environment.GEMINI_CLI_HOME || homeOf(environment);
  return home === null ? [] : linksBelow(path.join(home, '.gemini', 'tmp'), 3);
}

/** Versions before the short names hashed the folder's path. */
const hashOf = (cwd: string) => createHash('sha256').update(cwd).digest('hex');

/** Maps each short name to its folder. */
function readProjects(file: string): Map<string, string> {
  const projects = asObject(attempt(() => asObject(JSON.parse(readRegular(file)))?.projects)) ?? {};
  return new Map(Object.entries(projects).flatMap(([cwd, name]) => (typeof name === 'string' ? [[name, cwd]] : [])));
}

const markedRoot = (project: string) => attempt(() => readRegular(path.join(project, '.project_root')).trim()) || null;

const real = (folder: string) => attempt(() => realpathSync(folder));

export const names = (folder: string): string[] => attempt(() => readdirSync(folder)) ?? [];

/** Rejects a link to a folder: an attacker could plant one that leads out of the store. */
const isFolder = (folder: string) => attempt(() => lstatSync(folder).isDirectory()) ?? false;

function attempt<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
