// Waits for what no event announces, such as a file of another process.

const POLL_MS = 5;

/** Looks again after a pause, since a loop without one takes the CPU from the process that it waits for. */
export async function waitWhile(isSo: () => boolean): Promise<void> {
  while (isSo()) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
