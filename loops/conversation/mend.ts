// Mends a session whose history the service would not accept, or did not: in the gentlest way that works.

import type { Tool } from '../../policies/tools.ts';

export interface Broken {
  tool: Tool;
  sessionId: string;
  /** null is unknown: then only what the service refused is mended. */
  cliVersion: string | null;
  environment: NodeJS.ProcessEnv;
  /** Where its CLI runs. */
  cwd: string;
  clock: () => Date;
}

/** `what` and `why` are half sentences for a report. */
export type Mended = { how: 'mended'; what: string } | { how: 'cannot'; why: string };

/** After the service refused the history: what is wrong with it is mended, or else its last turn is taken back. */
export async function mendBroken(_broken: Broken): Promise<Mended> {
  return { how: 'cannot', why: 'its conversation cannot be repaired by this version' };
}
