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

const load = async () => (await import('zx/core')).$;
