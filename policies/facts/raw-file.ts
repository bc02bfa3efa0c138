// Where the event stream of a call lies: beside its answer.

/** The answer's path with `.raw` for a final `.out`, or behind it. */
export const rawOf = (out: string): string => `${out.replace(/\.out$/, '')}.raw`;
