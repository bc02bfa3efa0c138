// Finds gemini's session files: in the folder of each working folder, by their names and times, then by their first bytes.

import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import path from 'node:path';
import { tried } from '../../../policies/text/tried.ts';
import { readHead, readRegular } from '../../../state/disk/regular-file.ts';
import { homeOf } from '../../home.ts';
import type { Lookup, SessionFile } from '../../sessions/store.ts';
import { linksBelow } from '../../sessions/store-folder.ts';
import { asObject, type GeminiPart, isMessage, isPrompt, objectsOf, parseRecord, saidIn } from './record.ts';

/** Only this many of the newest are opened; a folder may hold thousands. */
const OPENED_FILES = 500;

const NAME = /^session-.*\.jsonl?$/;

/**
 * Several files may have one id. The CLI begins one for each resume and leaves it without a prompt. An old version's file remains
 * beside the one into which a new version converts it. Among those with a prompt, the one that changed last counts.
 */
export async function findSession(id: string, lookup: Lookup): Promise<SessionFile | null> {
  const { own, others } = placesOf(lookup);
  const named = (name: string) => name.replace(/\.jsonl?$/, '').endsWith(`-${id.slice(0, 8)}`);
  for (const places of [own, others]) {
    const found = sessionsIn(places, named, () => true).find((session) => session.id === id);
    if (found) return found;
  }
  return null;
}

export async function recentSessions(lookup: Lookup, since: Date): Promise<SessionFile[]> {
  const sessions = sessionsIn(
    placesOf(lookup).own,
    () => true,
    ({ mtimeMs }) => mtimeMs >= since.getTime(),
  );
  const seen = new Set<string>();
  return sessions.filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** Returns the newest first. */
function sessionsIn(
  places: readonly GeminiPlace[],
  named: (name: string) => boolean,
  chosen: (stats: Stats) => boolean,
): SessionFile[] {
  const files = places.flatMap((place) =>
    names(place.folder)
      .filter((name) => NAME.test(name) && named(name))
      .flatMap((name) => {
        const file = path.join(place.folder, name);
        const stats = lstatSync(file, { throwIfNoEntry: false });
        return stats?.isFile() && chosen(stats) ? [{ file, stats, place }] : [];
      }),
  );
  return files
    .sort((a, b) => b.stats.mtimeMs - a.stats.mtimeMs)
    .slice(0, OPENED_FILES)
    .flatMap(({ file, stats, place }): SessionFile[] => {
      const beginning = readBeginning(file);
      if (beginning === null || beginning.subagent || beginning.empty) return [];
      const { id, cliVersion } = beginning;
      return [{ tool: 'gemini', id, file, cwd: place.cwd, cliVersion, bytes: stats.size, changedAtMs: stats.mtimeMs }];
    });
}

/** Reads the first bytes of a session file: whose it is, of which kind, and how it began. */
interface Beginning {
  id: string;
  /** null if the file does not contain it, as in all current versions. */
  cliVersion: string | null;
  /** Belongs to a subagent, not to a conversation that can be resumed. */
  subagent: boolean;
  /** If the prompt is too long for these bytes, its beginning. */
  firstPrompt: string | null;
  /** Contains no prompt: a start of the CLI that continued in another file. */
  empty: boolean;
}

const BEGINNING_BYTES = 256 * 1024;

/** @returns null if it cannot be read, or is not a session of gemini. */
export function readBeginning(file: string): Beginning | null {
  const read = firstBytes(file);
  if (read === null) return null;
  const { text, whole } = read;
  const lines = text.split('\n');
  const [first, ...records] = objectsOf(lines.map(parseRecord));
  const begun = typeof first?.sessionId === 'string' ? first : beginningOfDocument(text);
  if (typeof begun?.sessionId !== 'string') return null;
  const messages = [...objectsOf(begun.messages), ...records.flatMap(messagesIn)].filter(isMessage);
  const prompt = messages.find(isPrompt) ?? (whole ? null : cutOffPrompt(lines.at(-1)!));
  return {
    id: begun.sessionId,
    cliVersion: typeof begun.cliVersion === 'string' ? begun.cliVersion : null,
    subagent: begun.kind === 'subagent',
    firstPrompt: prompt ? saidIn(prompt.content) : null,
    empty: whole && prompt === null && !messages.some(({ type }) => type === 'gemini'),
  };
}

const messagesIn = (record: GeminiPart): GeminiPart[] => [record, ...objectsOf(asObject(record.$set)?.messages)];

/** Reads a prompt whose line ends beyond the bytes that were read. */
function cutOffPrompt(line: string): { content: unknown } | null {
  const said = /"type":\s*"user",\s*"content":\s*(?:\[\s*\{\s*"text":\s*)?("(?:[^"\\]|\\.)*)/s.exec(line)?.[1];
  const text = said === undefined ? null : parseRecord(`{"text":${said.replace(/\\u?[\da-f]{0,3}$/, '')}"}`)?.text;
  const message = { id: '', type: 'user', content: text };
  return typeof text === 'string' && isPrompt(message) ? message : null;
}

/** The document is pretty printed. If it is cut off in the middle, its first fields must suffice. */
function beginningOfDocument(text: string): Record<string, unknown> | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    const sessionId = /^\s*\{\s*"sessionId":\s*"([\w.-]+)"/.exec(text)?.[1];
    if (sessionId === undefined) return null;
    const prompt = cutOffPrompt(text);
    return { sessionId, messages: prompt === null ? [] : [prompt] };
  }
}

function firstBytes(file: string): { text: string; whole: boolean } | null {
  try {
    const { text, bytes } = readHead(file, BEGINNING_BYTES);
    return { text, whole: bytes <= BEGINNING_BYTES };
  } catch {
    return null;
  }
}

interface GeminiPlace {
  folder: string;
  /** null if it is not known. */
  cwd: string | null;
}

/** Every place with sessions; those of the lookup's own folder first. */
function placesOf({ environment, cwd }: Lookup): { own: GeminiPlace[]; others: GeminiPlace[] } {
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

export function links({ environment }: Lookup): string[] {
  const home = environment.GEMINI_CLI_HOME || homeOf(environment);
  return home === null ? [] : linksBelow(path.join(home, '.gemini', 'tmp'), 3);
}

/** Versions before the short names hashed the folder's path. */
const hashOf = (cwd: string) => createHash('sha256').update(cwd).digest('hex');

/** Maps each short name to its folder. */
function readProjects(file: string): Map<string, string> {
  const projects = asObject(tried(() => asObject(JSON.parse(readRegular(file)))?.projects)) ?? {};
  return new Map(Object.entries(projects).flatMap(([cwd, name]) => (typeof name === 'string' ? [[name, cwd]] : [])));
}

const markedRoot = (project: string) => tried(() => readRegular(path.join(project, '.project_root')).trim()) || null;

const real = (folder: string) => tried(() => realpathSync(folder));

const names = (folder: string): string[] => tried(() => readdirSync(folder)) ?? [];

/** Rejects a link to a folder: an attacker could plant one that leads out of the store. */
const isFolder = (folder: string) => tried(() => lstatSync(folder).isDirectory()) ?? false;
