// Runs gemini to list its sessions, which it finds as it would on a resume.

import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readRegular } from '../../../state/disk/regular-file.ts';
import { findBinary } from '../../find-binary.ts';
import type { Lookup, OwnList } from '../../sessions/store.ts';
import { isWithinAWeek, readListed } from './listed.ts';

const LONGEST_MS = 60_000;

/** gemini may call its model for titles. */
export function askGemini({ cwd, environment }: Lookup, say: (sentence: string) => void): OwnList {
  const binary = findBinary('gemini', environment.PATH);
  if (binary === null) return 'gemini is not on the PATH';
  say('asking gemini for its sessions; for their titles it may make a paid call');
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-sessions-'));
  const file = path.join(folder, 'stdout');
  // gemini truncates its output at a pipe.
  const stdout = openSync(file, 'w', 0o600);
  try {
    const { status, error } = spawnSync(binary, ['--list-sessions'], {
      cwd,
      // gemini writes its failure report there, with whole conversations.
      env: { ...environment, TMPDIR: folder, GEMINI_CLI_NO_RELAUNCH: 'true', NO_COLOR: '1' },
      stdio: ['ignore', stdout, 'ignore'],
      timeout: LONGEST_MS,
      killSignal: 'SIGKILL',
    });
    if (error !== undefined || status !== 0)
      return `gemini --list-sessions ended with ${error?.message ?? `exit code ${status}`}`;
    const listed = readListed(readRegular(file));
    if (listed.how === 'not_understood') return `the list of gemini --list-sessions is not understood: ${listed.why}`;
    return listed.rows
      .filter(({ when, current }) => current || isWithinAWeek(when))
      .map(({ id, when, title }) => ({ id, when, title }));
  } finally {
    closeSync(stdout);
    rmSync(folder, { recursive: true, force: true });
  }
}
