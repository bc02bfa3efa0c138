// Keeps a request that failed in a file beside the logs of its day.

import path from 'node:path';
import { publishText } from '../disk/replace-file.ts';
import { findEscapingLink } from '../escaping-link.ts';
import { LOG_NAME } from './place.ts';

/** Throws what the operating system throws; then no part of the file is there. @returns the file. */
export function writeRequest(folder: string, at: Date, tool: string, callId: string, text: string): string {
  const stray = findEscapingLink(folder, [LOG_NAME]);
  if (stray !== null) throw new Error(stray);
  const file = path.join(folder, LOG_NAME, `${at.toISOString().slice(0, 10)}.${tool}.${callId}.request.json`);
  publishText(file, text, 'set_aside');
  return file;
}
