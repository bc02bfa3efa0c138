// Builds the export of a distillation: its sections with their texts, from the answers on disk.

import path from 'node:path';
import type { DistilledBook } from '../../../policies/distill/section.ts';
import { traceLines } from '../../../state/distill/trace.ts';
import { unreadableWords } from '../../../state/distill/turns.ts';
import { type OpenDistill, readableHistory } from '../open-run.ts';

/** `lost`: which answers cannot be read and are omitted; null if all can be read. */
export function distilledBook(
  { folder, checkpoint, standing }: OpenDistill,
  withTrace: boolean,
): DistilledBook & { lost: string | null } {
  const { history, lost } = readableHistory(folder, checkpoint, standing);
  const texts = history.texts();
  const { begun, complete, halted } = standing;
  const sections = standing.sections.filter(({ section }) => !lost.some((one) => one.section === section));
  return {
    book: { name: path.basename(checkpoint.book), sha256: checkpoint.book_sha256 },
    model: checkpoint.model,
    prompt: checkpoint.prompt_file === null ? 'default' : path.basename(checkpoint.prompt_file),
    startedAt: begun?.at ?? sections[0]?.at ?? '',
    finishedAt: complete ? (sections.at(-1)?.at ?? halted?.at ?? null) : null,
    sections: sections.map(({ section, title, modelVersion, tokens, at }, i) => ({
      number: section,
      title,
      text: texts[i] ?? '',
      modelVersion,
      tokens,
      at,
    })),
    lost: lost.length === 0 ? null : unreadableWords(folder, lost),
    trace: withTrace ? traceLines(folder) : null,
  };
}
