// Runs git on a repository (a door to execa) so that it starts no program of the repository and prompts for no password.

import path from 'node:path';
import { absoluteFolders } from '../../wrappers/find-binary.ts';

export interface GitRequest {
  cwd: string;
  timeoutMs: number;
  input?: string | Buffer;
  /** Only a few variables are passed on. */
  environment?: NodeJS.ProcessEnv;
  /** These override the repository's settings. */
  settings?: readonly (readonly [name: string, value: string])[];
  /** Fetching of objects that a partial clone lacks. Default: never. */
  fetching?: 'never' | 'allowed';
  /** `used` for a fetch or a push: git gets the variables for proxies, certificates and ssh, and only these protocols. */
  network?: 'used';
  /** Used instead of the repository's own places, which are then not written. */
  apart?: ApartPlaces;
  /** Its abort ends git, and the result is a failure. */
  halt?: AbortSignal;
  /** Ends git after so much output, which is then cut. */
  most?: number;
}

interface ApartPlaces {
  index: string;
  /** The folder to which objects are written. */
  objects: string;
  /** More folders in which objects are looked up. */
  others: readonly string[];
}

export interface GitRan {
  /** git's exit code; 127 without git, 124 after the timeout. */
  code: number;
  stdout: string;
  stderr: string;
  /** There was more output than requested. */
  isCut?: true;
}

/** Enough for the names of about ten million files. */
const MAX_BYTES = 1024 ** 3;

/** Git at one place; `more` replaces some settings of the place. */
export type Git = (args: readonly string[], more?: Partial<GitRequest>) => Promise<GitRan>;

export const gitWith =
  (place: GitRequest): Git =>
  (args, more) =>
    askGit(args, { ...place, ...more });

/** Asks rev-parse for several paths at once, and one by one if one of them has a line end. @returns git's failure, or the paths. */
export async function askPaths(git: Git, queries: readonly (readonly string[])[]): Promise<GitRan | string[]> {
  const ask = (of: typeof queries) => git(['rev-parse', '--path-format=absolute', ...of.flat()]);
  const pathsIn = ({ stdout }: GitRan) => stdout.replace(/\n$/, '');
  const all = await ask(queries);
  const paths = pathsIn(all).split('\n');
  if (all.code !== 0) return all;
  if (paths.length === queries.length) return paths;
  const each = await Promise.all(queries.map((query) => ask([query])));
  return each.find(({ code }) => code !== 0) ?? each.map(pathsIn);
}

/** Runs git once and never rejects: a failure, a missing git and a timeout are codes of the result. */
export async function askGit(args: readonly string[], request: GitRequest): Promise<GitRan> {
  const {
    cwd,
    timeoutMs,
    input,
    environment = process.env,
    settings = [],
    fetching = 'never',
    network,
    apart,
    halt,
    most,
  } = request;
  const { execa } = await import('execa');
  const ran = await execa('git', [...HARMLESS, ...args], {
    cwd,
    timeout: timeoutMs,
    reject: false,
    stripFinalNewline: false,
    maxBuffer: most ?? MAX_BYTES,
    extendEnv: false,
    env: {
      ...harmlessEnvironment(environment),
      ...(network === 'used' ? forNetwork(environment) : fetching === 'never' ? NO_FETCHING : {}),
      ...asEnvironment(settings),
      ...(apart === undefined ? {} : placesOf(apart)),
    },
    ...(halt === undefined ? {} : { cancelSignal: halt }),
    ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
  });
  const { exitCode, timedOut, stdout, stderr } = ran;
  if (most !== undefined && ran.isMaxBuffer) return { code: 0, stdout, stderr, isCut: true };
  if (timedOut) return { code: 124, stdout, stderr: `git ${args[0]} took more than ${timeoutMs} ms` };
  if (exitCode !== undefined) return { code: exitCode, stdout, stderr };
  const missing = ran.code === 'ENOENT';
  return { code: missing ? 127 : 1, stdout, stderr: missing ? 'git is not on the PATH' : (ran.shortMessage ?? stderr) };
}

const placesOf = ({ index, objects, others }: ApartPlaces): Record<string, string> => ({
  GIT_INDEX_FILE: index,
  GIT_OBJECT_DIRECTORY: objects,
  // A quoted path may contain a colon, which separates paths.
  GIT_ALTERNATE_OBJECT_DIRECTORIES: others.map((folder) => JSON.stringify(folder)).join(':'),
});

/** A name may contain `=`, at which `-c` would split it. */
const asEnvironment = (settings: GitRequest['settings'] & {}): Record<string, string> =>
  settings.length === 0
    ? {}
    : Object.fromEntries([
        ['GIT_CONFIG_COUNT', String(settings.length)],
        ...settings.flatMap(([name, value], i) => [
          [`GIT_CONFIG_KEY_${i}`, name],
          [`GIT_CONFIG_VALUE_${i}`, value],
        ]),
      ]);

/**
 * Describes why a folder cannot be used as a repository, and what to do. Git refuses one that belongs to another user, as in a
 * container. Only the owner may approve it, so the command is named and not run.
 * @param otherwise what to do if there is no repository.
 */
export function repositoryMistake(folder: string, ran: GitRan, otherwise: string): string {
  const refused = /detected dubious ownership in repository at '([^\n]{1,4096})'/.exec(ran.stderr)?.[1];
  if (refused === undefined) return `${folder} is in no git repository (${complaintOf(ran)}); ${otherwise}`;
  const quoted = `'${refused.replaceAll("'", "'\\''")}'`;
  return `git does not read the repository ${refused}, since it belongs to another user. If you trust it: git config --global --add safe.directory ${quoted}`;
}

/** Returns git's own error without the hints that may follow it, otherwise its last line. */
export function complaintOf({ stderr, code }: GitRan): string {
  const lines = stderr.trim().split('\n');
  return lines.findLast((line) => line.startsWith('fatal: ')) ?? (lines.at(-1) || `exit code ${code}`);
}

/**
 * Hooks and watchers are programs that the repository chooses; reading a folder must not require trust. Submodules have their own
 * settings, which these do not reach. Filters have no common switch, see `switchedOff`.
 */
export const HARMLESS = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['submodule.recurse', 'false'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** All variables that git gets from our environment. Others may be secret, or lead it to another repository. */
const PASSED = ['HOME', 'XDG_CONFIG_HOME', 'TMPDIR'];

const given = (names: readonly string[], environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])));

/** Returns the few variables for git, and only the absolute folders of PATH. */
export const harmlessEnvironment = (environment: NodeJS.ProcessEnv): Record<string, string> => ({
  ...given(PASSED, environment),
  // An empty PATH would mean the working folder.
  PATH: absoluteFolders(environment.PATH).join(path.delimiter) || '/usr/bin:/bin',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C',
});

/** A clone that lacks objects would fetch them, with a program that its settings name. */
export const NO_FETCHING = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };

/** `ext::` runs any command, so it is not among the protocols. */
const forNetwork = (environment: NodeJS.ProcessEnv) => ({
  ...given(NETWORK, environment),
  GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
});

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const NETWORK = [
  ...PROXIES,
  ...PROXIES.map((name) => name.toLowerCase()),
  ...['SSH_AUTH_SOCK', 'GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_ASKPASS', 'GIT_SSL_CAINFO', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
];

/** A filter is a command that converts what git checks out and compares. */
type FiltersFound = { how: 'found'; names: string[] } | { how: 'unknown'; ran: GitRan };

/**
 * Returns the filters that the repository itself defines. It excludes filters in the settings of the user and the system, such as
 * those of `git lfs install`. They are the user's programs, which each git of the user runs.
 */
export const repositoryFilters = (git: (args: string[]) => Promise<GitRan>): Promise<FiltersFound> =>
  filtersOf(git, OF_THE_USER);

/** Includes the user's filters, which may write into the repository (`git lfs`). */
export const allFilters = (git: (args: string[]) => Promise<GitRan>): Promise<FiltersFound> =>
  filtersOf(git, new Set());

async function filtersOf(git: (args: string[]) => Promise<GitRan>, apart: ReadonlySet<string>): Promise<FiltersFound> {
  const ran = await git(['config', '--null', '--show-scope', '--get-regexp', '^filter\\..*\\.(clean|smudge|process)$']);
  // Exit code 1 means that there are none.
  if (ran.code !== 0 && ran.code !== 1) return { how: 'unknown', ran };
  const fields = ran.stdout.split('\0');
  const names = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = /^filter\.(.*)\.[a-z]+$/.exec(fields[at + 1]!.split('\n')[0]!)?.[1];
    if (name !== undefined && !apart.has(fields[at]!)) names.add(name);
  }
  return { how: 'found', names: [...names] };
}

const OF_THE_USER = new Set(['system', 'global']);

/** An empty command converts nothing, and a filter that is not required may fail. */
export const switchedOff = (names: readonly string[]): NonNullable<GitRequest['settings']> =>
  names.flatMap((name) =>
    (
      [
        ['clean', ''],
        ['smudge', ''],
        ['process', ''],
        ['required', 'false'],
      ] as const
    ).map(([field, value]) => [`filter.${name}.${field}`, value] as const),
  );
