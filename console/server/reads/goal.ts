// Reads the goal of a task from the head of its manifest: ten thousand manifests cannot be parsed for one line each.

import type { Redactor } from '../../../policies/redact/redactor.ts';
import { readHead } from '../../../state/disk/regular-file.ts';
import { isSystemError } from '../../../state/system-error.ts';
import { manifestsIn } from '../../../state/task-folder.ts';

const MAX_BYTES = 4096;
const MAX_CHARS = 300;

/** One line without secrets; null if none is found. The text is not trusted: it is from the author of the manifest. */
export function goalOf(root: string, { redact }: Redactor): string | null {
  const [file] = manifestsIn(root);
  if (file === undefined) return null;
  try {
    const { text } = readHead(file, MAX_BYTES);
    const goal = file.endsWith('.json') ? inJson(text) : inYaml(text);
    if (goal === null) return null;
    // Redacted before it is shortened: a secret that is cut can no longer be recognized.
    return redact(goal).replace(/\s+/g, ' ').trim().slice(0, MAX_CHARS);
  } catch (error) {
    if (isSystemError(error)) return null;
    throw error;
  }
}

function inJson(text: string): string | null {
  const found = /"goal"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  if (found === undefined) return null;
  try {
    return JSON.parse(found) as string;
  } catch {
    return null;
  }
}

function inYaml(text: string): string | null {
  const found = /^goal:[ \t]*(.*)\n?((?:[ \t]+.*\n?)*)/m.exec(text);
  if (found === null) return null;
  const [, same = '', below = ''] = found;
  const goal = /^[|>][-+\d]*\s*$/.test(same) || same === '' ? below : `${same} ${below}`;
  return goal.trim().replace(/^(["'])([\s\S]*)\1$/, '$2') || null;
}
