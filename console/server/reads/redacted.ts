// Prepares texts for the console: redacts them first, also by the patterns of the task's project, and only then cuts them.

import { redactorOf } from '../../../loops/redactor.ts';
import { readTask } from '../../../loops/task/task.ts';
import type { Redactor } from '../../../policies/redact/redactor.ts';
import { readHead } from '../../../state/disk/regular-file.ts';
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
