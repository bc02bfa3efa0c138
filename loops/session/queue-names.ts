// Names the queues in which runs wait for a session.

import { createHash } from 'node:crypto';
import type { Tool } from '../../policies/facts/tools.ts';

/** 16 hexadecimal digits, the same in every process. */
export const queueNameOf = (kind: 'tag' | 'session', tool: Tool, what: string): string =>
  createHash('sha256').update(`${kind}\0${tool}\0${what}`).digest('hex').slice(0, 16);
