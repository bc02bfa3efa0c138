// Passes a notification to a command: JSON on stdin, an environment without secrets, a deadline, and no surviving process.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { scrubbed } from '../../policies/gate/command-environment.ts';
import { oneLine } from '../../policies/text/display.ts';
import { readTail } from '../../state/disk/regular-file.ts';
import { replaceText } from '../../state/disk/replace-file.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { findProgram } from '../../wrappers/find-binary.ts';
import { markerOf } from '../../wrappers/processes/marker.ts';
import { withPrivateFolder } from '../gate/gate-folder.ts';
import { type PlainOutcome, runPlain } from '../gate/plain-command.ts';
import type { Sent } from './notified.ts';

export interface Handing {
  command: readonly string[];
  body: string;
  /** The folder in which the command runs. */
  root: string;
  environment: NodeJS.ProcessEnv;
  envAllow: readonly string[] | undefined;
  redact(text: string): string;
  timeoutMs: number;
  stop: AbortSignal;
  /** The call beside which files are stored, for a process after a kill. null for a batch, or a task without a call. */
  beside: { task: TaskFolder; callId: string } | null;
  /** Unique among the notifications of one end: a word of A-Z a-z 0-9 _. */
  name: string;
}

const MAX_OUTPUT_BYTES = 1024 * 1024;

export async function tellCommand(handing: Handing): Promise<Sent> {
  const { command, root, environment } = handing;
  const [program, ...argv] = command as [string, ...string[]];
  const file = findProgram(program, root, environment);
  if (file === null) return { how: 'failed', why: `${program} is not found, or no program` };
  return inFolder(handing, async (folder, marker) => {
    const stdin = path.join(folder, 'notification.json');
    replaceText(stdin, `${handing.body}\n`);
    const outcome = await runPlain({
      command: file,
      argv,
      cwd: root,
      environment: scrubbed(environment, handing.envAllow, handing.redact),
      folder,
      name: 'command',
      stdin,
      marker,
      wallMs: handing.timeoutMs,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      stop: handing.stop,
    });
    return endOf(outcome, handing);
  });
}

function inFolder<T>(
  { beside, environment, name }: Handing,
  use: (folder: string, marker: string) => Promise<T>,
): Promise<T> {
  if (beside !== null)
    return withPrivateFolder({ ...beside, environment }, name, ({ folder, marker }) => use(folder, marker));
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-notify-'));
  return use(folder, markerOf(path.basename(folder), environment)).finally(() =>
    rmSync(folder, { recursive: true, force: true }),
  );
}

function endOf({ ending, exitCode, signal, obstacle, stderr }: PlainOutcome, { timeoutMs, redact }: Handing): Sent {
  if (ending === 'exited' && exitCode === 0) return { how: 'sent', why: 'exit 0' };
  const said = lastLine(stderr);
  const after = said === '' ? '' : `: ${oneLine(redact(said), MAX_SAID)}`;
  return { how: 'failed', why: `${WHY[ending]?.({ exitCode, signal, obstacle, timeoutMs }) ?? ending}${after}` };
}

const MAX_SAID = 120;

type Facts = { exitCode: number | null; signal: string | null; obstacle: string | null; timeoutMs: number };

const WHY: Partial<Record<PlainOutcome['ending'], (facts: Facts) => string>> = {
  exited: ({ exitCode }) => `exit ${exitCode}`,
  signalled: ({ signal }) => `ended by ${signal}`,
  timed_out: ({ timeoutMs }) => `ended after ${timeoutMs / 1000} s`,
  overflowed: () => 'ended, since it wrote too much',
  not_started: ({ obstacle }) => `not started: ${obstacle}`,
  cancelled: () => 'stopped',
};

const lastLine = (file: string): string => readTail(file, 1000).text.trim().split('\n').at(-1) ?? '';
