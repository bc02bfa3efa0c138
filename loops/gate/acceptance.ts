// Runs the acceptance commands of a task, each guarded like a call and in a clean environment; an artifact keeps the output.

import { closeSync, fstatSync, readSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { AcceptanceResult, Finding } from '../../policies/facts/gate-record.ts';
import { toDo } from '../../policies/facts/next-action.ts';
import { scrubbed } from '../../policies/gate/command-environment.ts';
import { createStreamRedactor } from '../../policies/redact/create-redactor.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import { oneLine } from '../../policies/text/display.ts';
import { cutStacks } from '../../policies/text/stack-trace.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import { openRegular } from '../../state/disk/regular-file.ts';
import { openBeside, takePlace } from '../../state/disk/replace-file.ts';
import { withPrivateFolder } from './gate-folder.ts';
import type { GateRequest } from './gate-request.ts';
import { type PlainOutcome, runPlain } from './plain-command.ts';

type Accepted = { acceptance: AcceptanceResult[] } & ({ how: 'ran'; finding: Finding | null } | { how: 'stopped' });

/** Limit per command, for both streams together. The log keeps no more of a command than this. */
const MAX_OUTPUT = 16 * 1024 * 1024;

/** Runs all commands, even after one has failed, so that the report is complete. Once `stop` is aborted, starts no more. */
export function runAcceptance(request: GateRequest): Promise<Accepted> {
  const artifact = path.join(request.task.outputs, `${request.stage.name}.acceptance.log`);
  const { timeout_ms: wallMs } = request.manifest.acceptance;
  const environment = scrubbed(request.environment, request.manifest.security.env_allow, request.redactor.redact);
  return withPrivateFolder(request, 'acceptance', async ({ folder, nothing, marker }) => {
    const log = openOutputLog(artifact, request.redactor, MAX_OUTPUT);
    const acceptance: AcceptanceResult[] = [];
    const failed: { description: string; last: string }[] = [];
    try {
      for (const [i, command] of request.acceptanceCommands.entries()) {
        if (request.stop.aborted) break;
        const outcome = await runPlain({
          command: '/bin/sh',
          // One stream for both, so that the log keeps the order in which they were written.
          argv: ['-c', 'exec /bin/sh -c "$1" 2>&1', 'sh', command],
          cwd: request.cwd,
          environment,
          folder,
          name: `command-${i + 1}`,
          stdin: nothing,
          marker,
          wallMs,
          maxOutputBytes: MAX_OUTPUT,
          stop: request.stop,
        });
        const description = `${oneLine(request.redactor.redact(command), MAX_COMMAND)} (${request.redactor.redact(endOf(outcome, wallMs))})`;
        const last = log.add(`${description}, ${seconds(outcome.durationMs ?? 0)}`, outcome.stdout);
        acceptance.push(resultOf(request.redactor.redact(command), outcome, artifact));
        if (outcome.ending !== 'exited' || outcome.exitCode !== 0) failed.push({ description, last });
      }
      log.publish();
    } finally {
      log.close();
    }
    const ended = acceptance.filter(({ ending }) => ending !== 'cancelled').length;
    if (ended < request.acceptanceCommands.length) return { how: 'stopped', acceptance };
    return { how: 'ran', acceptance, finding: findingOf(failed, artifact) };
  });
}

function resultOf(command: string, outcome: PlainOutcome, output: string): AcceptanceResult {
  const { ending, exitCode, signal, durationMs } = outcome;
  return { command, ending, exit_code: exitCode, signal, duration_ms: durationMs, output };
}

function findingOf(failed: { description: string; last: string }[], artifact: string): Finding | null {
  const [first] = failed;
  if (first === undefined) return null;
  const begins = `acceptance failed: ${first.description}`;
  return {
    check: 'acceptance',
    class: 'contract_violation',
    reason: 'acceptance_failed',
    missing: failed.map(({ description }) => description),
    text: first.last === '' ? `${begins}, without a word` : endedBy(`${begins}, whose last lines are:\n`, first.last),
    next_actions: [toDo(`find the cause in ${artifact}, which has the whole output`)],
  };
}

/** The lengths that the readers of a finding show. The end of an output is more useful than its beginning. */
const MAX_COMMAND = 120;
const MAX_TEXT = 300;
const MIN_LAST = 100;

function endedBy(begins: string, last: string): string {
  const room = Math.max(MIN_LAST, MAX_TEXT - begins.length);
  return last.length <= room ? begins + last : `${begins}…${last.slice(1 - room)}`;
}

/** The text contains nothing that changes from run to run. */
function endOf({ ending, exitCode, signal, obstacle }: PlainOutcome, wallMs: number): string {
  switch (ending) {
    case 'exited':
      return `exit ${exitCode}${exitCode === 127 ? ', not found' : ''}`;
    case 'signalled':
      return `ended by ${signal}`;
    case 'timed_out':
      return `timed out after ${seconds(wallMs)}`;
    case 'overflowed':
      return `output over ${MAX_OUTPUT / 1024 / 1024} MiB`;
    case 'not_started':
      return `not started: ${obstacle}`;
    default:
      return 'stopped';
  }
}

const seconds = (ms: number): string => `${Number((ms / 1000).toFixed(1))} s`;

/** The artifact with the redacted output of the commands. It is written completely or not at all, in constant memory. */
interface OutputLog {
  /** Writes a headline, then the content of a file up to the limit. @returns its last lines. */
  add(headline: string, file: string): string;
  /** Makes the log visible under its name. */
  publish(): void;
  /** Deletes the log if it was not published. */
  close(): void;
}

const CHUNK = 64 * 1024;

/** Enough to see why a test failed. */
const LAST_CHARS = 1500;

const LAST_LINES = 12;

export function openOutputLog(file: string, redactor: Redactor, maxBytes: number): OutputLog {
  makeFolders(path.dirname(file));
  const beside = openBeside(file);
  let fd: number | null = beside.fd;
  const put = (text: string) => {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd!, bytes, at);
  };
  return {
    add(headline, from) {
      put(`=== ${redactor.redact(headline)}\n`);
      let last = '';
      const tell = (text: string) => {
        put(text);
        last = (last + text).slice(-LAST_CHARS);
      };
      const omitted = eachChunk(from, redactor, maxBytes, tell);
      if (last !== '' && !last.endsWith('\n')) put('\n');
      if (omitted > 0) put(`=== ${omitted} more bytes are omitted\n`);
      return cutStacks(last.trim().split('\n')).slice(-LAST_LINES).join('\n');
    },
    publish() {
      closeSync(fd!);
      fd = null;
      takePlace(beside.temporary, file, 'set_aside');
    },
    close() {
      if (fd !== null) closeSync(fd);
      rmSync(beside.temporary, { force: true });
    },
  };
}

/** @returns the number of omitted bytes; 0 for a missing file. */
function eachChunk(file: string, redactor: Redactor, maxBytes: number, tell: (text: string) => void): number {
  let source: number;
  try {
    source = openRegular(file);
  } catch {
    return 0;
  }
  try {
    const { size } = fstatSync(source);
    const stream = createStreamRedactor(redactor);
    const decoder = new StringDecoder('utf8');
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (let at = 0; at < maxBytes; ) {
      const read = readSync(source, buffer, 0, Math.min(CHUNK, maxBytes - at), at);
      if (read === 0) break;
      at += read;
      tell(stream.write(decoder.write(buffer.subarray(0, read))));
    }
    tell(stream.write(decoder.end()) + stream.end());
    return Math.max(0, size - maxBytes);
  } finally {
    closeSync(source);
  }
}
