// Runs small system commands for the wrappers with zx. Only this file loads zx, at the first command.

/** Runs a command and returns its stdout; empty when the command fails. */
export async function capture(pieces: TemplateStringsArray, ...values: unknown[]): Promise<string> {
  const $ = await load();
  const run = $({ quiet: true, nothrow: true, stdio: ['ignore', 'pipe', 'ignore'] });
  return (await run(pieces, ...(values as string[]))).stdout;
}

/** The same in a given folder and environment. A command that takes ten seconds is killed, with all that it started. */
export function captureIn(options: { cwd: string; env: NodeJS.ProcessEnv; signal?: AbortSignal; shell?: string }) {
  return async (pieces: TemplateStringsArray, ...values: (string | string[])[]): Promise<string> => {
    const $ = await load();
    const run = $({
      ...options,
      quiet: true,
      nothrow: true,
      timeout: '10s',
      timeoutSignal: 'SIGKILL',
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return (await run(pieces, ...values)).stdout;
  };
}

/** Runs a program with input, and returns how it ended. It is killed, with all that it started, when its time is up. */
export async function runIn(
  {
    input,
    ...options
  }: { cwd: string; env: NodeJS.ProcessEnv; input: string; timeout: `${number}s`; signal?: AbortSignal },
  words: readonly string[],
): Promise<{ stdout: string; stderr: string; exitCode: number | null }> {
  const $ = await load();
  const quiet = { quiet: true, nothrow: true, timeoutSignal: 'SIGKILL', killSignal: 'SIGKILL', stdio: 'pipe' } as const;
  const running = $({ ...options, ...quiet })`${words as string[]}`;
  // It may end before it reads anything.
  running.stdin.on('error', () => {}).end(input);
  return running;
}

const load = async () => (await import('zx/core')).$;
