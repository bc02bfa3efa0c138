// Turns gemini's inner retries and session deletion off by system settings of one call, and sets a model if the user has none.

import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { OVERLAY_FOLDERS } from '../../policies/facts/file-names.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import type { CallRequest, Overlay } from '../adapter.ts';
import { accountHome, homeOf } from '../home.ts';
import { mayCommit } from '../own-flags.ts';
import { readSettings, type Settings, settingsFiles } from './settings.ts';

/** Without a model, a router calls another model first: two paid requests for each prompt. This alias skips it. */
const DEFAULT_MODEL = 'pro';

export function overlay(request: CallRequest): Overlay {
  const made = withSettings(request);
  const lacksCommands = mayCommit(request) && request.own['approval-mode'] !== 'yolo';
  return lacksCommands ? { ...made, warnings: [...made.warnings, NO_COMMANDS] } : made;
}

const NO_COMMANDS =
  'gemini runs no commands with `--access write`, so `--allow-commit` has no effect: use `--access full`, or commit after the call';

function withSettings(request: CallRequest): Overlay {
  const files = settingsFiles(request.environment, homeOf(request.environment) ?? request.cwd, request.cwd);
  const administrators = readSettings(files.system);
  const read = [administrators, readSettings(files.project), readSettings(files.user)];
  const argv = hasModel(request, read) ? [] : ['--model', DEFAULT_MODEL];
  const folder = safeFolder(request);
  if (folder === null || administrators === 'unreadable') {
    const isMissed = request.innerRetries === 'cut' || request.maxTurns !== null;
    return { argv, environment: {}, folders: [], warnings: isMissed ? [UNSAFE] : [] };
  }
  const file = path.join(folder, 'settings.json');
  writeFileSync(file, JSON.stringify(merge(administrators, request), null, 2), { mode: 0o600 });
  return { argv, environment: { GEMINI_CLI_SYSTEM_SETTINGS_PATH: file }, folders: [folder], warnings: [] };
}

const UNSAFE =
  "gemini's inner retries could not be turned off: it reads system settings only from a folder that root owns and no other user can write; announced retries are cut instead";

/** Keeps an administrator's settings and overrides only what this call needs. */
function merge(administrators: Settings | null, request: CallRequest): Settings {
  const group = (name: string) => (administrators?.[name] as Settings | undefined) ?? {};
  return {
    ...administrators,
    general: {
      ...group('general'),
      ...(request.innerRetries === 'cut' ? { maxAttempts: 1 } : {}),
      // After a resume that failed, gemini has two files of one session, and its next start would delete both.
      sessionRetention: { enabled: false },
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
    },
    ...(request.maxTurns === null ? {} : { model: { ...group('model'), maxSessionTurns: request.maxTurns } }),
  };
}

function hasModel(request: CallRequest, read: readonly ReturnType<typeof readSettings>[]): boolean {
  if (request.model !== null || request.environment.GEMINI_MODEL) return true;
  return read.some(
    (settings) => settings === 'unreadable' || (settings?.model as Settings | undefined)?.name !== undefined,
  );
}

/** gemini trusts system settings only if root owns every folder above them and no one else may write there. */
function safeFolder(request: CallRequest): string | null {
  const { XDG_RUNTIME_DIR, XDG_CACHE_HOME, HOME } = request.environment;
  const account = accountHome();
  const bases = [
    XDG_RUNTIME_DIR,
    XDG_CACHE_HOME,
    HOME && path.join(HOME, '.cache'),
    account && path.join(account, '.cache'),
  ];
  for (const base of bases) {
    if (!base || !path.isAbsolute(base)) continue;
    const parent = path.join(base, 'tollgate');
    try {
      if (!isSafe(path.dirname(base))) continue;
      makeFolders(parent);
      if (isSafe(parent)) return mkdtempSync(path.join(parent, OVERLAY_FOLDERS.gemini));
    } catch {
      // Not writable: try the next one.
    }
  }
  return null;
}

function isSafe(folder: string): boolean {
  for (let at = folder; ; at = path.dirname(at)) {
    const { uid, mode } = statSync(at);
    if (uid !== 0 || (mode & 0o022) !== 0) return false;
    if (at === path.dirname(at)) return true;
  }
}
