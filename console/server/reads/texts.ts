// Prepares texts of a task, and its goal: redacts them by the patterns of its project, and only then cuts them.

import { redactorOf } from '../../../loops/redactor.ts';
import { readTask } from '../../../loops/task/task.ts';
import type { Redactor } from '../../../policies/redact/redactor.ts';
import { readHead, readTail } from '../../../state/disk/regular-file.ts';
import { isSystemError } from '../../../state/system-error.ts';
import { manifestsIn } from '../../../state/task-folder.ts';
import type { TextShown } from '../../contract/task.ts';
import type { ServedProject } from '../project.ts';

/** Read beyond the shown part, since a secret that is cut can no longer be recognized. */
const MAX_SECRET = 64 * 1024;

/** The patterns of an unreadable manifest are not known. Then only the general secrets are removed. */
export async function redactorOfTask(id: string, { cwd, environment }: ServedProject): Promise<Redactor> {
  const read = await readTask({ word: id, cwd, environment, trustWorkspace: true });
  return redactorOf(environment, read.how === 'invalid' ? [] : read.manifest.security.redaction_patterns);
}

/** Returns the beginning of a file that is longer than `most`. Throws the errors of reading a file. */
export function headOfFile(file: string, most: number, redactor: Redactor): TextShown {
  const { text, bytes } = readHead(file, most + MAX_SECRET);
  const shown = redactedHead(text, { most, isCut: bytes > most + MAX_SECRET }, redactor);
  return shown.how === 'whole'
    ? { text: shown.text, cut: 0 }
    : { text: shown.text, cut: Math.max(1, bytes - Buffer.byteLength(shown.text)) };
}

/** Returns the end of a file, from the beginning of a line. Throws the same. */
export function tailOfFile(file: string, most: number, { redact, withheld }: Redactor): TextShown {
  const { text, bytes } = readTail(file, most + MAX_SECRET);
  const before = withheld.length;
  const redacted = redact(text);
  if (withheld.length > before) return { text: redacted, cut: 0 };
  // A secret may begin before what is read, so what remains of it is not recognized.
  const from = Math.max(bytes > most + MAX_SECRET ? MAX_SECRET : 0, redacted.length - most);
  const shown = from === 0 ? redacted : redacted.slice(redacted.indexOf('\n', from - 1) + 1 || from);
  return { text: shown, cut: Math.max(0, bytes - Buffer.byteLength(shown)) };
}

export function headOfText(text: string, most: number, redactor: Redactor): string {
  const piece = text.slice(0, most + MAX_SECRET);
  return redactedHead(piece, { most, isCut: piece.length < text.length }, redactor).text;
}

/** @param isCut whether a secret may continue beyond the end of the text, so that its beginning is not recognized. */
function redactedHead(
  text: string,
  { most, isCut }: { most: number; isCut: boolean },
  { redact, withheld }: Redactor,
): { how: 'whole' | 'cut'; text: string } {
  const before = withheld.length;
  const redacted = redact(text);
  // The whole text was withheld; only the reason remains.
  if (withheld.length > before) return { how: 'whole', text: redacted };
  const sound = isCut ? Math.max(0, redacted.length - MAX_SECRET) : redacted.length;
  const until = Math.min(most, sound);
  return until < redacted.length || isCut
    ? { how: 'cut', text: redacted.slice(0, until) }
    : { how: 'whole', text: redacted };
}

/** The goal is read from the head of the manifest: ten thousand manifests cannot be parsed for one line each. */
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
  const whole = goal.trim();
  return inJson(`"goal":${whole}`) ?? (whole.replace(/^(["'])([\s\S]*)\1$/, '$2') || null);
}
