// Small commands that the wrappers ask the system, typed as zx scripts (the only door to zx here; loaded when first asked).

/** Runs a command and gives its stdout; empty when the command fails. */
export async function capture(pieces: TemplateStringsArray, ...values: unknown[]): Promise<string> {
  const { $ } = await import('zx/core');
  const run = $({ quiet: true, nothrow: true, stdio: ['ignore', 'pipe', 'ignore'] });
  return (await run(pieces, ...(values as string[]))).stdout;
}
