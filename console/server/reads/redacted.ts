// Texts as the console shows them: first redacted, also by the patterns of the task's project, and only then cut.

import { redactorOf } from '../../../loops/redactor.ts';
import { readTask } from '../../../loops/task/task.ts';
import type { Redactor } from '../../../policies/redact/redactor.ts';
import { readHead } from '../../../state/disk/file-head.ts';
import type { TextShown } from '../../contract/task.ts';
import type { ServedProject } from '../project.ts';

/** Looked at beyond what is shown: of a secret that is cut nothing would be known any more. */
const MAX_SECRET = 64 * 1024;

/** Of a manifest that cannot be read the patterns are not known: then what is a secret everywhere is taken out. */
export async function redactorOfTask(id: string, { cwd, environment }: ServedProject): Promise<Redactor> {
  const read = await readTask({ word: id, cwd, environment, trustWorkspace: true });
  return redactorOf(environment, read.how === 'invalid' ? [] : read.manifest.security.redaction_patterns);
}

/** Of what is longer than `most`, its beginning. Throws what reading a file throws. */
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

/** @param isCut whether a secret may go on behind the end of the text, so that its beginning is not seen to be one. */
function redactedHead(
  text: string,
  { most, isCut }: { most: number; isCut: boolean },
  { redact, withheld }: Redactor,
): { how: 'whole' | 'cut'; text: string } {
  const before = withheld.length;
  const redacted = redact(text);
  // Nothing of it is left but why.
  if (withheld.length > before) return { how: 'whole', text: redacted };
  const sound = isCut ? Math.max(0, redacted.length - MAX_SECRET) : redacted.length;
  const until = Math.min(most, sound);
  return until < redacted.length || isCut
    ? { how: 'cut', text: redacted.slice(0, until) }
    : { how: 'whole', text: redacted };
}
