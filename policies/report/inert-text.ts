// Makes a model's text inert where it is shown: in HTML or XML, and in the comment of a pull or merge request.

import { actionLine, type NextAction } from '../facts/next-action.ts';
import { visible, wellFormed } from '../text/display.ts';

interface CommentedRun {
  task_id: string;
  state: string;
  failure: { class: string | null; reason: string | null } | null;
  next_actions: readonly NextAction[];
  /** The last answer of a stage; '' if there is none. */
  answer: string;
  /** When it was last checked, if that was in an earlier run; otherwise null. */
  checked_earlier: string | null;
}

/** Both services accept slightly more. One counts characters, the other bytes. */
const MOST_CHARS = 60_000;

/** The first line identifies the comment. */
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

/** An invisible character. Text that contains it is not a name, a number, a tag or a picture. */
const BREAK = '\u200b';

/** `@name`, `#12`, `!34`, `GH-5`, `<tag>`, `![picture]`, `/close` at the beginning of a line; the same within code. */
const inert = (text: string): string =>
  visible(text)
    .replace(/<(?=[A-Za-z/!?])|!(?=\[)|@(?=\w)|[#!~%&$](?=\d)|\bGH-(?=\d)/gi, `$&${BREAK}`)
    .replace(/^([\s>*+-]*)\/(?=\w)/gm, `$1${BREAK}/`);

/** For text and attributes, in HTML and in XML 1.0, which allows fewer characters. */
export const markupText = (text: string): string =>
  wellFormed(visible(text))
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (sign) => REFERENCES[sign]!);

const REFERENCES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
