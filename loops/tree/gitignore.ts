// Makes git ignore the project's .tmp/, because it contains the output of the CLIs, which should not be committed.

import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import path from 'node:path';
import { visible } from '../../policies/text/display.ts';
import { isSystemError } from '../../state/system-error.ts';
import { askGit } from './run-git.ts';

type Ignoring =
  /** The line was written. */
  | { how: 'added'; file: string }
  /** Git already ignores it, or there is no repository. */
  | { how: 'ignored' }
  | { how: 'no_git' }
  /** A sentence about what the user must do. */
  | { how: 'refused'; message: string };

const LINE = '.tmp/';
/** Files that will exist later; only their names are passed to git. */
const PROBES = ['.tmp/state/sessions.json', '.tmp/task/any/state/journal.jsonl'];
const PATIENCE_MS = 10_000;

/** Appends a line to the repository's .gitignore, unless git ignores the folder. @param root contains `.tmp`. */
export async function ignoreState(root: string): Promise<Ignoring> {
  const answer = await askGit(['rev-parse', '--is-inside-work-tree'], { cwd: root, timeoutMs: PATIENCE_MS });
  if (answer.code !== 0 || answer.stdout.trim() !== 'true') return { how: 'no_git' };
  const file = path.join(root, '.gitignore');
  // Git itself would wait for the writer of a pipe.
  if ((await lstat(file).catch(() => null))?.isFIFO()) return refused(file, 'it is not a regular file');
  if (await isIgnored(root)) return { how: 'ignored' };
  try {
    return await append(file);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return refused(file, `it cannot be written (${error.message})`);
  }
}

async function isIgnored(root: string): Promise<boolean> {
  const { code, stdout } = await askGit(['check-ignore', '--no-index', '--', ...PROBES], {
    cwd: root,
    timeoutMs: PATIENCE_MS,
  });
  return code === 0 && stdout.trim().split('\n').length === PROBES.length;
}

async function append(file: string): Promise<Ignoring> {
  const kind = await lstat(file).catch(() => null);
  if (kind?.isSymbolicLink()) return refused(file, 'it is a link');
  if (kind !== null && !kind.isFile()) return refused(file, 'it is not a regular file');
  // Appends in place, so that the permissions and the owner do not change. Never follows a link, and never waits for a reader.
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
  try {
    const text = await handle.readFile('latin1');
    // The user decides about existing lines for it.
    if (text.split(/\r?\n/).some((line) => /^!?\/?(?:\*\*\/)?\.tmp(?:\/|$)/.test(line.trim())))
      return refused(file, 'it has lines of its own about .tmp');
    const end = text.includes('\r\n') ? '\r\n' : '\n';
    const opens = text === '' || text.endsWith('\n') ? '' : end;
    await handle.appendFile(`${opens}${LINE}${end}`);
    return { how: 'added', file };
  } finally {
    await handle.close();
  }
}

const refused = (file: string, why: string): Ignoring => ({
  how: 'refused',
  message: visible(
    `git does not ignore ${LINE}, and ${file} was not changed: ${why}; add the line ${LINE} where you keep such lines`,
  ),
});
