// Explains why a task failed, as `tollgate explain` does.

import { explainTask } from '../../../loops/report/explain.ts';
import type { ExplainedShown } from '../../contract/failures.ts';
import { type Reply, refused, type ServedProject, told } from '../project.ts';
import { foundTask } from './task.ts';

export async function explainedShown(id: string, project: ServedProject): Promise<Reply> {
  const task = foundTask(id, project);
  if ('how' in task) return task;
  const explained = await explainTask({ ...project, word: id, stage: null });
  switch (explained.how) {
    case 'invalid':
      return refused(409, explained.message);
    case 'nothing':
      return told<ExplainedShown>({ explanation: null, message: explained.message });
    case 'explained':
      return told<ExplainedShown>({ explanation: explained.explanation, message: '' });
  }
}
