// Tests whether a diff applies to a tree; its git has an empty git folder and reads no settings of the project or the user.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolders } from '../../state/disk/folder.ts';
import { readHead } from '../../state/disk/regular-file.ts';
import { HARMLESS, harmlessEnvironment, NO_FETCHING } from '../tree/run-git.ts';
import type { GateRequest } from './gate-request.ts';
import { runPlain } from './plain-command.ts';
import { withPrivateFolder } from './private-folder.ts';

type GitEnd = { how: 'ended'; exitCode: number; stdout: string; stderr: string } | { how: 'stopped'; why: string };

const WALL_MS = 60_000;
const MAX_OUTPUT = 16 * 1024 * 1024;
/** Per stream. */
const MAX_READ = 1024 * 1024;

/** The tree's root is `request.cwd`, whether or not the project uses git. */
export function tryDiff(request: GateRequest, git: string, argv: string[], diff: string): Promise<GitEnd> {
  return withPrivateFolder(request, 'git', async ({ folder, marker }) => {
    const stdin = path.join(folder, 'input');
    writeFileSync(stdin, diff, { mode: 0o600 });
    const ended = await runPlain({
      command: git,
      argv: [...HARMLESS, 'apply', '--check', ...argv],
      cwd: request.cwd,
      environment: {
        ...harmlessEnvironment({ PATH: request.environment.PATH ?? '', HOME: folder }),
        ...NO_FETCHING,
        ...NO_SETTINGS,
        GIT_DIR: emptyGitFolder(folder),
        GIT_WORK_TREE: '.',
      },
      folder,
      name: 'git',
      stdin,
      marker,
      wallMs: WALL_MS,
      maxOutputBytes: MAX_OUTPUT,
      stop: request.stop,
    });
    if (ended.ending !== 'exited')
      return { how: 'stopped', why: ended.obstacle ?? `git ${ended.ending.replace('_', ' ')}` };
    const read = (file: string) => readHead(file, MAX_READ).text;
    return { how: 'ended', exitCode: ended.exitCode ?? 1, stdout: read(ended.stdout), stderr: read(ended.stderr) };
  });
}

const NO_SETTINGS = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_ATTR_NOSYSTEM: '1' };

/** The minimum that git accepts as a git folder. */
function emptyGitFolder(folder: string): string {
  const made = path.join(folder, 'none.git');
  for (const name of ['objects', 'refs']) makeFolders(path.join(made, name));
  writeFileSync(path.join(made, 'HEAD'), 'ref: refs/heads/none\n', { mode: 0o600 });
  return made;
}
