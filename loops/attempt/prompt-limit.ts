// How much of a prompt is read.

/** No CLI takes as much; past it a file is not even read. */
export const MAX_PROMPT_BYTES = 64 * 1024 ** 2;
