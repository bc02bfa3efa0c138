// Names the file of a call's event stream: beside its answer.

/** The answer's path with `.raw` instead of a final `.out`, or appended. */
export const rawOf = (out: string): string => `${out.replace(/\.out$/, '')}.raw`;
