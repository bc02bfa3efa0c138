// What a run says in a comment of a pull or merge request: a model's words are shown, and none of them is obeyed there.

import { actionLine, type NextAction } from '../facts/next-action.ts';
import { visible } from '../text/visible-text.ts';

interface CommentedRun {
  task_id: string;
  state: string;
  failure: { class: string | null; reason: string | null } | null;
  next_actions: readonly NextAction[];
  /** The last one that a stage gave; '' where there is none. */
  answer: string;
  /** When it was checked last, where that was in an earlier run; else null. */
  checked_earlier: string | null;
}

/** Both services take some more, of which the one counts characters and the other bytes. */
const MOST_CHARS = 60_000;

/** The first line is by which the comment is found again. */
export function commentText({ task_id, state, failure, next_actions, answer, checked_earlier }: CommentedRun): string {
  const why = failure === null ? '' : `: ${failure.class}${failure.reason === null ? '' : ` (${failure.reason})`}`;
  const next = failure === null ? [] : next_actions.slice(0, 1).map((action) => `Next: ${inert(actionLine(action))}`);
  const earlier = checked_earlier === null ? '' : `This result is of an earlier run (${checked_earlier}).`;
  const said = inert(answer.trim());
  const shown = said.length > MOST_CHARS ? `${said.slice(0, MOST_CHARS)}\n\n[cut: the file has more]` : said;
  return [`<!-- tollgate: ${task_id} -->`, `**${task_id}**: ${state}${why}`, ...next, earlier, shown]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Nothing is seen of it, and what it stands in is no name, no number, no tag and no picture. */
const BREAK = '\u200b';

/** `@name`, `#12`, `!34`, `GH-5`, `<tag>`, `![picture]`, `/close` at the beginning of a line; the same within code. */
const inert = (text: string): string =>
  visible(text)
    .replace(/<(?=[A-Za-z/!?])|!(?=\[)|@(?=\w)|[#!~%&$](?=\d)|\bGH-(?=\d)/gi, `$&${BREAK}`)
    .replace(/^([\s>*+-]*)\/(?=\w)/gm, `$1${BREAK}/`);
