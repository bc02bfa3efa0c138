// Checks a supervised round, whatever struck it: its journal and what its agents saw, against a model of the document's table.

import type { JournalLine } from '../../../state/journal/facts.ts';
import { type Call, type Said, SupervisionModel } from '../../../test/rig/supervision-model.ts';
import type { Violation } from '../rig.ts';

export const WRONG = {
  /** An agent gets what the document does not have: so a call that is paid twice or skipped shows. */
  course: "off the document's table (paid twice, skipped, or with other words)",
  twice: 'answers that counted for nothing',
  undone: 'not brought to their end',
};
export type SuperviseViolation = Violation<keyof typeof WRONG>;

/** What the agent of a call got and answered. */
export interface SeenCall extends Call {
  said: Said | null;
  answered: boolean;
}

export interface SuperviseLeft {
  lines: readonly JournalLine[];
  calls: ReadonlyMap<string, SeenCall>;
  /** By hash. */
  texts: ReadonlyMap<string, string>;
  /** A signal stopped a run, or the guardian of one of its calls was killed: it may end at any point. */
  stopped: boolean;
  /** The exit code of the last start. */
  code: number | null;
}

export function checkSupervised(goal: string, left: SuperviseLeft): SuperviseViolation[] {
  const found: SuperviseViolation[] = [];
  if (left.code !== 0) found.push({ what: 'undone', why: `its last run ended with ${left.code}` });
  try {
    replay(new SupervisionModel(goal), left, found);
  } catch (error) {
    found.push({ what: 'course', why: (error as Error).message });
  }
  return found;
}

function replay(model: SupervisionModel, { lines, calls, texts, stopped }: SuperviseLeft, found: SuperviseViolation[]) {
  const noted: string[] = [];
  const lost = new Set<string>();
  const parts = new Map<string, string>();
  for (const line of lines)
    switch (line.fact) {
      case 'reserved': {
        parts.set(line.call_id, line.stage);
        const call = calls.get(line.call_id);
        // Killed before its agent began, it cost nothing.
        if (call !== undefined) model.begins(call, noted);
        break;
      }
      case 'verdict': {
        const call = calls.get(line.call_id);
        const isLost = line.class !== null && LOST.has(line.reason ?? '');
        if (isLost && call?.answered && !stopped)
          found.push({ what: 'twice', why: `${line.call_id} was answered, and counts as ${line.reason}` });
        if (isLost) lost.add(line.call_id);
        if (isLost) break;
        if (parts.get(line.call_id) === 'worker') model.worked(line.class === null);
        else model.said(line.class === null ? (call?.said ?? { how: 'fails' }) : { how: 'fails' }, call?.text ?? '');
        break;
      }
      // A call with a killed wrapper failed, whatever its agent did.
      case 'reasoned':
        if (line.action === 'error' && (line.call_id === null || lost.has(line.call_id)))
          model.said({ how: 'fails' }, '');
        model.reasoned();
        break;
      case 'noted':
        noted.push(texts.get(line.text) ?? line.text);
        break;
      case 'instructed':
        model.instructed();
        break;
      case 'left':
        model.left(line.how, stopped);
        break;
      default:
    }
}

/** Its answer went to no process. */
const LOST: ReadonlySet<string> = new Set(['cancelled', 'interrupted']);
