// Removes a section from the book and from the history; its answer remains on disk, in turns/.

import { writeDocument } from '../../../state/distill/live-document.ts';
import type { DistillRun } from '../run/distill-run.ts';

type Deleting = Pick<DistillRun, 'fold' | 'record' | 'history' | 'document' | 'documentBytes'> & {
  context: Pick<DistillRun['context'], 'tell'>;
};

/**
 * @param again whether to request the section again, at its position.
 * @returns whether there is such a section.
 */
export function deleteSection(section: number, again: boolean, run: Deleting): boolean {
  if (!run.fold.standing().sections.some((one) => one.section === section)) return false;
  run.record({ fact: 'deleted', section, again });
  const before = run.history.texts();
  run.history.remove(section);
  run.documentBytes = writeDocument(run.document, run.history.texts(), before);
  run.context.tell({ event: 'deleted', section, again });
  return true;
}
