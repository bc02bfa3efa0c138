// Explains why a task failed, as `tollgate explain` does.

import { explainTask } from '../../../loops/report/explain.ts';
import type { ExplainedShown } from '../../contract/failures.ts';
import { answerWith, type Reply, refused, type ServedProject } from '../project.ts';
import { foundTask } from './task.ts';

export async function explainedShown(id: string, project: ServedProject): Promise<Reply> {
  const task = foundTask(id, project);
  if ('how' in task) return task;
  const explained = await explainTask({ ...project, word: id, stage: null });
  switch (explained.how) {
    case 'invalid':
      return refused(409, explained.message);
    case 'nothing':
      return answerWith<ExplainedShown>({ explanation: null, message: explained.message });
    case 'explained':
      return answerWith<ExplainedShown>({ explanation: explained.explanation, message: '' });
  }
}
