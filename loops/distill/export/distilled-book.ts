// A distillation as it is exported: its sections with their texts, read from the answers on disk.

import path from 'node:path';
import type { DistilledBook } from '../../../policies/distill/section.ts';
import { traceLines } from '../../../state/distill/trace.ts';
import { historyOf, type OpenDistill } from '../open-run.ts';

/** Throws StrangeStateError where an answer is gone. */
export function distilledBook({ folder, checkpoint, standing }: OpenDistill, withTrace: boolean): DistilledBook {
  const texts = historyOf(folder, checkpoint, standing).texts();
  const { sections, begun, complete, halted } = standing;
  return {
    book: { name: path.basename(checkpoint.book), sha256: checkpoint.book_sha256 },
    model: checkpoint.model,
    prompt: path.basename(checkpoint.prompt_file),
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
    trace: withTrace ? traceLines(folder) : null,
  };
}
