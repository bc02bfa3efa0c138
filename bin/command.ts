// Shares what every command needs: argument parsing, signals, one place that prints, and one that exits.

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { launcherIn } from '../loops/launcher.ts';
import manifest from '../package.json';
import { EXIT_BUG, EXIT_BY_SIGNAL, type StopSignal, TOLLGATE_EXIT } from '../policies/facts/exit-codes.ts';
import { toDo, toType } from '../policies/facts/next-action.ts';
import { createRedactor } from '../policies/redact/create-redactor.ts';
import { visible } from '../policies/text/display.ts';
import { refusalOf, workingFolderMistake } from '../state/system-error.ts';
import { ALL_FLAG, type Arguments, type CommandSpec, parseCommandLine, SHARED_FLAGS } from './command-line.ts';
import { colouredHelp, keptHelp } from './help/kept-help.ts';
import { fitting, printing, printResult } from './printing.ts';
import type { Ran } from './ran.ts';
import { refusalOfArguments } from './tollgate/within-call.ts';

type ArgumentsRead =
  | { how: 'read'; args: Arguments }
  /** `mistake`: what is wrong with them; null when help or the version was requested. */
  | { how: 'ended'; ran: Ran; mistake: string | null };

/** A command as it is started. */
interface Command {
  name: string;
  run(argv: string[]): Promise<Ran>;
  /** Its own code of a general failure. */
  failure: number;
  /** Its own code of input that it cannot use; that of `tollgate` by default. */
  badInput?: number | undefined;
}

/** Runs a command. Only this function sets the exit code. */
export async function runCommand({ name, run, failure, badInput }: Command): Promise<void> {
  const argv = process.argv.slice(2);
  const ran = await endOf({ run, failure, badInput }, argv);
  const { out = '' } = ran;
  const isPage = ran.isPage === true && out !== '' && !asksForObject(argv);
  const code = ran.lost ?? (await printResult(isPage ? fitting(out, printing('stdout')) : out));
  const lost = code === null ? null : lostResult(name, code, argv, ran);
  const err = `${ran.err ?? ''}${lost ?? ''}`;
  if (err !== '') printing('stderr').write(fitting(err, printing('stderr')));
  process.exitCode = lost !== null && ran.exit === 0 ? (ran.failure ?? failure) : ran.exit;
  await endIdle();
}

/** Ends the process unless work remains: Node by itself would first finish its compilation and garbage collection. */
async function endIdle(): Promise<void> {
  // Handles that were just closed are gone after a turn of the event loop.
  for (let phase = 0; phase < 2; phase += 1) await new Promise((resolve) => setImmediate(resolve));
  if (process.getActiveResourcesInfo().every((resource) => OUTPUTS.has(resource))) process.exit();
}

/** A pipe or a terminal for output; a pending write has another name. */
const OUTPUTS: ReadonlySet<string> = new Set(['PipeWrap', 'TTYWrap']);

/** Returns a command's output, however it ended, without printing it. */
export async function endOf({ run, failure, badInput }: Omit<Command, 'name'>, argv: string[]): Promise<Ran> {
  const ended = await run(argv).catch((error) => unexpected(error, failure, badInput));
  return forMachines(withoutSecrets(ended), argv);
}

/** Runs a command with `--json`, and returns its exit code and its object. */
export async function askForObject(run: Command['run'], argv: readonly string[]) {
  const { exit, out = '', err = '' } = await endOf({ run, failure: TOLLGATE_EXIT.failure }, [...argv, '--json']);
  return { exit, object: objectIn(out, err) };
}

/** Returns the printed object. If there is none, returns the message for users in an object. */
export function objectIn(out: string, err: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(out);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The message for users explains why.
  }
  return { message: err.trim() };
}

/** A message if stdout did not take the whole result, or null. A reader that stops early (`| head`) has enough. */
function lostResult(name: string, code: string, argv: readonly string[], { kept, out = '' }: Ran): string | null {
  if (code === 'EPIPE' && !asksForObject(argv)) return null;
  const why = code === 'EPIPE' ? 'its reader has gone' : code;
  const next =
    kept === undefined
      ? 'the work that was done and paid for is kept. Fix this, and run the command again'
      : `${placeOf(kept ?? keptOutput(out))}. Another call is paid again`;
  return `${name}: the result could not be written to stdout (${why}); ${next}\n`;
}

const placeOf = (kept: string | null): string => (kept === null ? 'it is lost' : `it is in ${kept}`);

/** A paid answer is kept, also of a call whose files are not. @returns its file; null if it cannot be written either. */
function keptOutput(out: string): string | null {
  try {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'tollgate-answer-')), 'stdout.txt');
    writeFileSync(file, out, { mode: 0o600 });
    return file;
  } catch {
    return null;
  }
}

/** A message may repeat its input: an argument, a line of a file, a service's message. So may the object of a refusal. */
function withoutSecrets(ran: Ran): Ran {
  if (!ran.err) return ran;
  const { redact } = createRedactor({ env: process.env, patterns: [] });
  const err = visible(redact(ran.err));
  return ran.exit === 0 || ran.out === undefined ? { ...ran, err } : { ...ran, err, out: redact(ran.out) };
}

/** A reader of JSON on stdout gets an object for every end; an object made by the command itself has more fields. */
function forMachines(ran: Ran, argv: readonly string[]): Ran {
  const { exit, out, err } = ran;
  if (exit === 0 || out !== undefined || !err || !asksForObject(argv)) return ran;
  const [said] = err.split(/\n(?:Usage|More): /);
  const [speaker] = /^[a-z_]+(?: [a-z]+)?(?=: )/.exec(said!) ?? [null];
  const message = speaker === null ? said!.trimEnd() : said!.slice(speaker.length + 2).trimEnd();
  const next_actions = [
    exit === EXIT_BUG
      ? toDo('report it as a bug of tollgate')
      : toType('see how it is called', `${asCalled(speaker ?? 'tollgate')} --help`),
  ];
  return {
    ...ran,
    out: `${JSON.stringify({ schema: 1, state: 'refused', exit_code: exit, message, next_actions })}\n`,
  };
}

/** The command as the caller's shell starts it: each of our commands is beside `tollgate`. */
function asCalled(speaker: string): string {
  const [program, ...words] = speaker.split(' ');
  return [launcherIn(process.env).replace(/tollgate$/, program!), ...words].join(' ');
}

/** Works even if the arguments cannot be parsed. With --jsonl each line has its own answer. */
function asksForObject(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  const isRequested = flags.some((flag, i) => OBJECT.has(flag) || (flag === 'json' && flags[i - 1] === '--format'));
  return isRequested && !flags.includes('--jsonl');
}

const OBJECT: ReadonlySet<string> = new Set(['--json', '--format=json']);

export async function readArguments(
  spec: CommandSpec,
  argv: readonly string[],
  badInput: number,
): Promise<ArgumentsRead> {
  const parsed = parseCommandLine(spec, argv);
  if (parsed.how !== 'read') keepNoCache();
  switch (parsed.how) {
    case 'read': {
      const refusal = await refusalOfArguments(spec.name, parsed.args);
      if (refusal === null) return { how: 'read', args: parsed.args };
      keepNoCache();
      return { how: 'ended', ran: { exit: badInput, err: `${spec.name}: ${refusal}\n` }, mistake: refusal };
    }
    case 'help': {
      if (argv.includes('--json')) return { how: 'ended', ran: { exit: 0, out: helpAsObject(spec) }, mistake: null };
      const form = spec.common === undefined || argv.includes(ALL_FLAG) ? 'full' : 'short';
      const out = keptHelp(spec.name, form) ?? (await (await import('./help/help.ts')).renderHelp(spec, form));
      return { how: 'ended', ran: { exit: 0, out: await colouredHelp(out) }, mistake: null };
    }
    case 'version': {
      return { how: 'ended', ran: printVersion(argv), mistake: null };
    }
    case 'invalid': {
      const err = `${spec.name}: ${parsed.message}\nUsage: ${spec.name} ${spec.usage}\nMore: ${spec.name} --help\n`;
      return { how: 'ended', ran: { exit: badInput, err }, mistake: parsed.message };
    }
  }
}

/** Drops the compile cache of a run without real work; the runs that do it would keep it (`bin/cached-start.cjs`). */
export function keepNoCache(): void {
  // Later imports write no cache either.
  (globalThis as { [key: symbol]: unknown })[Symbol.for('tollgate caches')] = Object.assign([], { push: () => 0 });
}

const helpAsObject = ({ families = [], ...spec }: CommandSpec): string => {
  const others = families.map(({ shown, about }) => ({ shown, about }));
  return `${JSON.stringify({ schema: 1, ...spec, flags: { ...spec.flags, ...SHARED_FLAGS }, families: others })}\n`;
};

/** Aborts with the first INT, TERM or HUP as the reason, so that what is known is written before anything ends. */
export function stopOnSignals(): AbortSignal {
  const controller = new AbortController();
  const survived = survivesHangUp(process.env, process.ppid);
  for (const name of Object.keys(EXIT_BY_SIGNAL) as StopSignal[])
    process.on(name, () => {
      // Ignored by a listener: without one the signal would end us.
      if (name === 'SIGHUP' && survived) return;
      controller.abort(name);
    });
  return controller.signal;
}

/**
 * Ends a command after an unexpected error: a disk that fails or is full, or an internal error.
 * @param failure the command's own code of a general failure.
 * @param badInput its own code of input that it cannot use.
 */
export function unexpected(
  error: unknown,
  failure: number = TOLLGATE_EXIT.failure,
  badInput: number = TOLLGATE_EXIT.badInput,
): Ran {
  const noFolder = workingFolderMistake(error);
  if (noFolder !== null) return { exit: badInput, err: `${noFolder}\n` };
  const refusal = refusalOf(error);
  if (refusal !== null) return { exit: failure, err: `${refusal}\n` };
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exit: EXIT_BUG, err: `This is a bug of tollgate (exit ${EXIT_BUG}); please report it:\n${stack}\n` };
}

/**
 * Node resets every signal to its default before our first line runs, so the original setting is not available. This detects
 * nohup's name, which bash and zsh store in `_`. On Linux it also detects a parent that ignores HUP itself (`trap '' HUP`).
 */
function survivesHangUp(environment: NodeJS.ProcessEnv, parent: number): boolean {
  return path.basename(environment._ ?? '') === 'nohup' || ignoresHangUp(parent);
}

/** The lowest bit of the mask of ignored signals is signal 1. */
function ignoresHangUp(pid: number): boolean {
  try {
    const mask = /^SigIgn:\s*[0-9a-f]*([0-9a-f])$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return mask !== null && (Number.parseInt(mask[1]!, 16) & 1) === 1;
  } catch {
    return false;
  }
}

/** @param argv The arguments beside the flag. */
export function printVersion(argv: readonly string[]): Ran {
  const { version } = manifest;
  return { exit: 0, out: argv.includes('--json') ? `${JSON.stringify({ schema: 1, version })}\n` : `${version}\n` };
}
