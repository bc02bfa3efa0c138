// Runs gemini to list its sessions, which it finds as it would on a resume, and parses the list.

import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readRegular } from '../../../state/disk/regular-file.ts';
import { findBinary } from '../../find-binary.ts';
import type { Lookup, OwnList } from '../../sessions/store.ts';

interface ListedSession {
  index: number;
  /** Its summary or its first prompt, at most 100 characters; it may contain brackets and line ends. */
  title: string;
  /** As it is printed: "Just now", "5 minutes ago". */
  when: string;
  current: boolean;
  id: string;
}

type Listed =
  | { how: 'read'; rows: ListedSession[] }
  /** A version that prints the list differently; `why` is half a sentence. */
  | { how: 'invalid'; why: string };

export function readListed(stdout: string): Listed {
  const text = stdout.replaceAll('\r\n', '\n');
  if (text.trim() === NONE) return { how: 'read', rows: [] };
  const [head, count] = /^Available sessions for this project \((\d+)\):$/m.exec(text) ?? [];
  if (head === undefined) return { how: 'invalid', why: 'it does not begin with the number of sessions' };
  const rows = rowsIn(text.slice(text.indexOf(head) + head.length));
  return rows.length === Number(count)
    ? { how: 'read', rows }
    : { how: 'invalid', why: `it announces ${count} sessions, and ${rows.length} can be read` };
}

const NONE = 'No previous sessions found for this project.';

/** Each row begins with the next number, and ends with its time and its id. So a title that looks like a row is not one. */
function rowsIn(text: string): ListedSession[] {
  const rows: ListedSession[] = [];
  let row = '';
  for (const line of text.split('\n').slice(1)) {
    row = row === '' ? line : `${row}\n${line}`;
    const [, index, title, when, current, id] = ROW.exec(row) ?? [];
    if (index === undefined && row.startsWith(`  ${rows.length + 1}. `)) continue;
    if (Number(index) === rows.length + 1)
      rows.push({ index: Number(index), title: title!, when: when!, current: current !== undefined, id: id! });
    row = '';
  }
  return rows;
}

const ROW = /^ {2}(\d+)\. (.*) \(([^()]+?)(, current)?\) \[([\w.-]+)\]$/s;

/** Parses what it prints: minutes, hours and days. Weeks and unknown words are not within a week. */
export function isWithinAWeek(when: string): boolean {
  if (/^(?:just now|yesterday)$/i.test(when)) return true;
  const [, count, unit] = /^(\d+) (minute|hour|day)s? ago$/.exec(when) ?? [];
  return unit !== undefined && Number(count) <= { minute: 7 * 24 * 60, hour: 7 * 24, day: 7 }[unit as 'day'];
}

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
    if (listed.how === 'invalid') return `the output of gemini --list-sessions could not be read: ${listed.why}`;
    return listed.rows
      .filter(({ when, current }) => current || isWithinAWeek(when))
      .map(({ id, when, title }) => ({ id, when, title }));
  } finally {
    closeSync(stdout);
    rmSync(folder, { recursive: true, force: true });
  }
}
