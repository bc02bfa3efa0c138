// Runs git (a door to execa), so that nothing that a repository brings along is started by it, and nobody is asked for a password.

export interface GitRequest {
  cwd: string;
  timeoutMs: number;
  input?: string;
  environment?: NodeJS.ProcessEnv;
}

export interface GitRan {
  /** git's own; 127 without git, 124 past the time. */
  code: number;
  stdout: string;
  stderr: string;
}

/** Hooks and watchers are programs of the repository's choosing; a folder need not be trusted to be looked at. */
const TAMED = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];

/** The names of some ten million files. */
const MAX_BYTES = 1024 ** 3;

export async function runGit(
  args: readonly string[],
  { cwd, timeoutMs, input, environment = process.env }: GitRequest,
): Promise<GitRan> {
  const { execa } = await import('execa');
  const ran = await execa('git', [...TAMED, ...args], {
    cwd,
    timeout: timeoutMs,
    reject: false,
    stripFinalNewline: false,
    maxBuffer: MAX_BYTES,
    extendEnv: false,
    env: { ...withoutPlaces(environment), GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
    ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
  });
  const { exitCode, timedOut, stdout, stderr } = ran;
  if (timedOut) return { code: 124, stdout, stderr: `git ${args[0]} took more than ${timeoutMs} ms` };
  if (exitCode !== undefined) return { code: exitCode, stdout, stderr };
  const missing = ran.code === 'ENOENT';
  return { code: missing ? 127 : 1, stdout, stderr: missing ? 'git is not on the PATH' : (ran.shortMessage ?? stderr) };
}

/** A hook of git that starts us names its own repository in the environment; ours is the one in the folder. */
function withoutPlaces(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !PLACES.has(name)));
}

const PLACES = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_PREFIX',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
]);
