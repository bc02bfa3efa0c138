// Computes the hash that distinguishes prompts: over the bytes that the CLI will get, as in the call record.

import { createHash } from 'node:crypto';
import type { Tool } from '../../policies/facts/tools.ts';
import { adapterOf } from '../../wrappers/adapters.ts';

/** SHA-256 in hexadecimal, over the text as the tool's adapter escapes it. */
export function sentHash(tool: Tool, text: string): string {
  const sent = adapterOf(tool).prompt.escape(Buffer.from(text).toString('latin1'));
  return createHash('sha256').update(Buffer.from(sent, 'latin1')).digest('hex');
}
