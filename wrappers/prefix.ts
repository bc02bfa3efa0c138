// Starts a CLI through its command prefix: checks what reaches it there before anything is paid, and ends its container.

import { containerEnd, isRemote, throughPrefix } from '../policies/rules/command-prefix.ts';
import type { Adapter, OwnVariables } from './adapter.ts';
import { findBinary } from './find-binary.ts';
import { homeOf } from './home.ts';
import { MARKERS } from './processes/marker.ts';
import { runIn } from './shell.ts';

/** The container of a call: a program such as docker ends it, because it does not end with its client. */
export interface Container {
  prefix: readonly string[];
  name: string;
}

export const containerName = (callId: string): string => `tollgate-${callId}`;

/** The program that is started for a CLI: its own, or the first word of its prefix. */
export const programOf = ({ binary, prefix }: Adapter): string => prefix?.[0] ?? binary;

interface PrefixedCall {
  /** The absolute path of the first word. */
  program: string;
  callId: string;
  cwd: string;
  environment: NodeJS.ProcessEnv;
  /** The variables that we set, which are in `environment` too. */
  variables: Readonly<Record<string, string>>;
  /** What the CLI needs besides its working folder. */
  folders: readonly string[];
}

/** @returns a function that makes the words after the program from the words of the CLI; null without a prefix. */
export function lineOf(
  { binary, prefix }: Adapter,
  { callId, cwd, environment, variables, folders }: Omit<PrefixedCall, 'program'>,
): ((argv: readonly string[]) => string[]) | null {
  if (prefix === undefined) return null;
  const through = wordsIn(prefix, { name: containerName(callId), cwd, environment, variables, folders });
  return (argv) => through([binary, ...argv]).slice(1);
}

function wordsIn(
  prefix: readonly string[],
  { name, cwd, environment, variables, folders }: Omit<PrefixedCall, 'program' | 'callId'> & { name: string },
) {
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  const places = { cwd, home: homeOf(environment) ?? cwd, user };
  return throughPrefix(prefix, { places, name, variables, folders });
}

/** The variables that are set. */
export const setOf = (variables: OwnVariables): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** Starts the CLI for its version. */
export async function askThrough(
  { binary, prefix = [] }: Adapter,
  call: PrefixedCall,
  words: readonly string[],
  stop?: AbortSignal,
): Promise<string> {
  return (await runThrough(prefix, call, 'version', [binary, ...words], '', stop)).stdout;
}

async function runThrough(
  prefix: readonly string[],
  { program, callId, ...call }: PrefixedCall,
  purpose: string,
  words: readonly string[],
  input: string,
  stop?: AbortSignal,
) {
  const name = `${containerName(callId)}-${purpose}`;
  const [, ...rest] = wordsIn(prefix, { ...call, name })(words);
  const { cwd, environment } = call;
  const ran = await runIn({ cwd, env: environment, input, timeout: '60s', ...(stop && { signal: stop }) }, [
    program,
    ...rest,
  ]);
  // A client that was killed leaves its container.
  if (ran.exitCode !== 0 && ran.exitCode !== PROBE_EXIT) await endContainer({ prefix, name });
  return ran;
}

interface PrefixLack {
  missing: 'cli' | 'something';
  /** A sentence without its full stop. */
  why: string;
}

/** Starts a shell instead of the CLI. @returns what of stdin, folders, variables and CLI does not reach it, or null. */
export async function probePrefix(
  { tool, binary, prefix = [] }: Adapter,
  call: PrefixedCall,
  stop?: AbortSignal,
): Promise<PrefixLack | null> {
  const words = ['sh', '-c', PROBE, 'sh', call.cwd, binary, ...call.folders];
  const { stdout, stderr, exitCode } = await runThrough(prefix, call, 'probe', words, `${call.callId}\n`, stop);
  const said = new Set(stdout.split('\n').map((line) => line.trim()));
  const where = `within tools.${tool}.prefix of tollgate.yaml (${prefix.slice(0, 3).join(' ')} …)`;
  if (!said.has(ENDED)) {
    const last = stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
    const how = exitCode === 0 ? 'it exited at once, as one that detaches does' : `exit code ${exitCode ?? 'none'}`;
    return { missing: 'something', why: `a shell could not be run ${where}: ${last === '' ? how : last}` };
  }
  const absent = call.folders.filter((folder) => !said.has(`folder ${folder}`));
  const lacks = [
    ...(said.has(`stdin ${call.callId}`) ? [] : ['stdin does not arrive, so the CLI would get no prompt']),
    ...(said.has('cwd') ? [] : [`the working folder is not ${call.cwd}: make it visible, and begin there`]),
    ...(said.has(`marker ${call.variables[MARKERS[0]!]}`) || isRemote(prefix)
      ? []
      : [`variables do not arrive: pass ${Object.keys(call.variables).join(', ')}`]),
    ...(absent.length === 0 || isRemote(prefix) ? [] : [`${absent.join(', ')} cannot be used: make it visible`]),
    // Otherwise a failure of the CLI, or a part of its answer, would be a success.
    ...(exitCode === PROBE_EXIT
      ? []
      : ['the exit code of the CLI does not arrive: have it wait for the CLI, and exit as the CLI does']),
  ];
  if (lacks.length > 0) return { missing: 'something', why: `${where}: ${lacks.join('; ')}` };
  if (said.has('cli')) return null;
  return {
    missing: 'cli',
    why: `${binary} is not found ${where}: install it there, or put its folder on the PATH there`,
  };
}

const ENDED = 'tollgate-probe-ended';

/** No program that starts another exits with it by itself. */
const PROBE_EXIT = 41;

/** POSIX, for the shells of small images. Each line is printed if the thing is there. */
const PROBE = `IFS= read -r line; echo "stdin $line"
[ . -ef "$1" ] && echo cwd
echo "marker $${MARKERS[0]}"
command -v "$2" >/dev/null && echo cli
shift 2
for folder; do [ -w "$folder" ] && echo "folder $folder"; done
echo ${ENDED}
exit ${PROBE_EXIT}`;

/** Ends the container of a call, if it has one. @returns what could not be ended, for a person to read; null if nothing is left. */
export async function endContainer({ prefix, name }: Container): Promise<string | null> {
  const end = containerEnd(prefix);
  if (end === null) return null;
  const program = findBinary(end.program, process.env.PATH);
  if (program === null) return `the container ${name} (${end.program} is not on the PATH)`;
  const options = { cwd: '/', env: process.env, input: '', timeout: '60s' } as const;
  const { exitCode, stderr } = await runIn(options, [program, ...end.words, name]);
  if (exitCode === 0 || /no such container|no container with name/i.test(stderr)) return null;
  return `the container ${name} (${end.program} ${end.words[0]}: ${stderr.trim().split('\n').at(-1)?.slice(0, 200)})`;
}
