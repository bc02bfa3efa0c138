// Lists tasks, stages, tools, pipelines and sessions; omits names that a shell could read as more than a word.

import path from 'node:path';
import { readTask } from '../../../loops/task/task.ts';
import { TOOLS } from '../../../policies/facts/tools.ts';
import { PIPELINES } from '../../../policies/manifest/pipelines.ts';
import { namesIfAny } from '../../../state/disk/folder.ts';
import { readSessions } from '../../../state/sessions/sessions-file.ts';
import { projectState, STAGE_ID, TASK_ID } from '../../../state/task-folder.ts';
import type { Candidate } from './candidate.ts';

/** @param before the words of the line so far, after the command's name. */
type Names = (before: readonly string[]) => Promise<Candidate[]>;

const bare = (word: string): Candidate => ({ word, about: '' });

/** No name begins with a dash, because it would be a flag. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9._:+-]{0,127}$/;

const stateNow = (): string => projectState(process.cwd(), process.env);

export const NAMED: Record<'task' | 'stage' | 'tool' | 'pipeline' | 'session', Names> = {
  task: async () =>
    namesIfAny(path.join(stateNow(), 'task'))
      .filter((name) => TASK_ID.test(name) && PLAIN.test(name))
      .sort()
      .map(bare),
  tool: async () => TOOLS.map(bare),
  pipeline: async () => Object.keys(PIPELINES).map(bare),
  async stage(before) {
    const word = before.find((each, i) => PLAIN.test(each) && !before[i - 1]?.startsWith('--'));
    if (word === undefined) return [];
    const read = await readTask({ word, cwd: process.cwd(), environment: process.env, trustWorkspace: false });
    if (read.how !== 'read') return [];
    return read.plans.map(({ stage }) => bare(stage.name)).filter((found) => STAGE_ID.test(found.word));
  },
  async session() {
    const sessions = await readSessions(stateNow(), () => new Date(), 'in_place');
    return sessions
      .entries()
      .flatMap(({ tag, tool, entry: { session_id } }) => [
        { word: tag, about: tool },
        { word: session_id ?? '', about: `${tool}, ${tag}` },
      ])
      .filter(({ word }) => PLAIN.test(word));
  },
};
