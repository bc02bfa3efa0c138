// Writes the note for a part whose session is not on this machine and is replaced by a fresh one.

import { iterationCells, iterationTable } from '../../policies/supervise/iteration-table.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { findSession } from '../session/own-files.ts';
import { stageFacts } from '../task/stage-facts.ts';
import type { Part, SuperviseCourse } from './course.ts';
import { standingOf } from './course.ts';
import { shownText } from './shown-text.ts';

/** @returns null for a part that has its session, or had none yet. */
export async function handOffs(course: SuperviseCourse): Promise<Record<Part, string | null>> {
  const { open, context } = course.task;
  const standing = standingOf(open);
  const none = { worker: null, reasoner: null };
  if (standing.rows.length === 0 || standing.step === 'done') return none;
  const { ledger } = open.journal.read();
  const note = noteOf(standing.rows.map((row) => iterationCells(row, shownText(open.task))));
  const of = async (part: Part): Promise<string | null> => {
    const { tool } = course.plans[part].stage;
    const { session_id: id } = stageFacts(open.task, ledger, part, tool);
    // A session of a described CLI has no files to look for: it is resumed by its id.
    if (id === null || adapterOf(tool).described !== undefined) return null;
    const found = await findSession(tool, id, { environment: context.environment, cwd: open.cwd });
    if (found !== null) return null;
    const message = `the session ${id} of the ${part} is not on this machine; a new session gets a summary of the work`;
    context.say(message);
    course.notes.push(message);
    return open.hide(note);
  };
  return { worker: await of('worker'), reasoner: await of('reasoner') };
}

const MAX_ROWS = 20;

const noteOf = (cells: Parameters<typeof iterationTable>[0]): string =>
  `# Where the work stands

This conversation goes on with the work of an earlier one, which is not there any more. The tree is as that one left it.
What happened so far:

${iterationTable(cells, MAX_ROWS).join('\n')}
`;
