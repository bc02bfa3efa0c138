// Small commands that the wrappers ask the system, typed as zx scripts (the only door to zx here; loaded when first asked).

/** Runs a command and gives its stdout; empty when the command fails. */
export async function capture(pieces: TemplateStringsArray, ...values: unknown[]): Promise<string> {
  const $ = await load();
  const run = $({ quiet: true, nothrow: true, stdio: ['ignore', 'pipe', 'ignore'] });
  return (await run(pieces, ...(values as string[]))).stdout;
}

/** The same in a folder and an environment of its own; what takes ten seconds is killed, with all that it started. */
export function captureIn(options: { cwd: string; env: NodeJS.ProcessEnv; signal: AbortSignal }) {
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
