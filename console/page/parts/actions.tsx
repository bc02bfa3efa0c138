// Shows suggested actions: each with its command to copy, and a button that runs it after a confirmation.

import { actionLine, isNote, type NextAction, noteOf } from '../../../policies/facts/next-action.ts';
import { pageCommand } from '../../contract/page-command.ts';
import { change } from '../live/requests.ts';
import { type ComponentChildren, useSignal } from '../reactive.ts';
import { route, to } from '../shell/route.ts';
import { callsAtMost, callsLeft, signedOutOf } from '../tasks/task-list.ts';
import { Words } from '../text/words.tsx';
import { CopyButton } from './copy.tsx';
import { Confirm } from './dialog.tsx';
import { dated, listed, minuteTime } from './figures.ts';
import { From, now } from './times.tsx';

interface ActionListProps {
  of: readonly NextAction[];
  busy?: string | null;
  hasMain?: boolean;
  /** ISO time of the failure, from which a wait counts. */
  failedAt?: string | null;
  /** The action whose button is elsewhere on the page. */
  elsewhere?: NextAction | undefined;
  /** The address of the manifest that another model or CLI is set in. */
  manifest?: string;
  /** The tasks that the rerun continues, if they are several. */
  tasks?: readonly string[];
  /** Draws another button for the rerun of these. */
  rerun?: (look: { isMain: boolean; earliest: string | null }) => ComponentChildren;
}

/** The first action that a button can run or copy now; undefined if there is none. */
export const firstToDo = (of: readonly NextAction[], failedAt: string | null): NextAction | undefined =>
  of.find((action) => lineOf(action) !== undefined && earliestOf(action, failedAt) === null);

/** The first thing to do is the main one. @param busy why no command can be run now; null if one can. */
export function ActionList({
  of,
  busy = null,
  hasMain = true,
  failedAt = null,
  elsewhere,
  manifest,
  tasks,
  rerun,
}: ActionListProps) {
  const main = hasMain ? firstToDo(of, failedAt) : undefined;
  return (
    <ol class="actions">
      {stepsOf(of).map(([action, notes]) => {
        const again = isRerun(action) ? rerun : undefined;
        const line = lineOf(action);
        return (
          <li key={actionLine(action)}>
            <div class="step">
              <Advice
                of={action}
                failedAt={failedAt}
                tasks={tasks}
                line={again === undefined ? line : undefined}
                isMain={action === main && !isRunnable(action)}
              />
              {manifest !== undefined && line === undefined && SETS.test(action.text) && (
                <a href={manifest}>Edit the manifest</a>
              )}
              {notes.map((note) => (
                <small key={note.text} class="soft">
                  Now: <Words of={noteOf(note)} />
                </small>
              ))}
            </div>
            {again?.({ isMain: action === main, earliest: earliestOf(action, failedAt) })}
            {again === undefined && action !== elsewhere && (
              <ActionButton of={action} isMain={action === main} busy={busy} failedAt={failedAt} />
            )}
          </li>
        );
      })}
    </ol>
  );
}

const SETS = /^(?:or )?(?:set|use) (?:a|another|a larger|a shorter) [\w ,]*(?:model|tool|CLI|stage)/;

interface CommandProps {
  line: string;
  isMain?: boolean;
  /** The time before which the service refuses it; null if that is over. */
  earliest?: string | null;
}

/** A command in a box of its own, with the button that copies it. */
const Command = ({ line, isMain = false, earliest = null }: CommandProps) => (
  <span class="command">
    <code>
      {line.split(' ').flatMap((word, nth) => [
        nth > 0 && ' ',
        <span key={`${nth} ${word}`}>
          <Words of={word} />
        </span>,
      ])}
    </code>
    {earliest !== null && <small class="wait-text">not before {minuteTime(earliest)}</small>}
    <CopyButton
      text={line}
      name={line.startsWith('"') ? 'Copy setting' : 'Copy command'}
      isMain={isMain}
      look={isMain ? 'short' : 'icon'}
    />
  </span>
);

/** Each action with the notes that follow it. */
const stepsOf = (of: readonly NextAction[]) =>
  of.reduce<[NextAction, NextAction[]][]>((steps, action) => {
    if (isNote(action) && steps.length > 0) steps.at(-1)![1].push(action);
    else steps.push([action, []]);
    return steps;
  }, []);

interface SentenceProps {
  of: string;
  /** What it has between backticks and is shown as a command to copy. */
  line?: string | undefined;
  isMain?: boolean;
  /** Whether all that it has between backticks is to be copied. */
  isEach?: boolean;
}

/** The text of an action with local times; what it has between backticks is shown as code. */
export function Sentence({ of, line, isMain = false, isEach = false }: SentenceProps) {
  const local = of.replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, dated);
  const parts = `${local.charAt(0).toUpperCase()}${local.slice(1)}`.split(/`([^`]+)`/);
  return (
    <>
      {parts.map((part, i) =>
        i % 2 === 0 ? (
          <Words key={`${i} ${part}`} of={part} />
        ) : isEach || part === line ? (
          <Command key={`${i} ${part}`} line={part} isMain={isMain && part === line} />
        ) : (
          <code key={`${i} ${part}`} class="inline">
            <Words of={part} />
          </code>
        ),
      )}
    </>
  );
}

/** The wait that an action begins with: until a time, or for some minutes after the failure. */
const WAIT = /^(?:not before (\d{4}-\S+Z)|no sooner than (\d{1,4}) minutes after the failure), /;

/** The time before which the service refuses the action, as its text names it; null if it is over, or if there is none. */
export function earliestOf({ text }: NextAction, failedAt: string | null): string | null {
  const [, at, minutes] = WAIT.exec(text) ?? [];
  const time = at === undefined ? Date.parse(failedAt ?? '') + Number(minutes) * 60_000 : Date.parse(at);
  return time > now.value ? new Date(time).toISOString() : null;
}

/** The words of the wait that a rerun of the task begins with; empty if there is none. */
export const waitOf = (of: readonly NextAction[]): string => WAIT.exec(of.find(isRerun)?.text ?? '')?.[0] ?? '';

/** What comes before a call of CLIs without a sign-in. */
export const signInFirst = (out: readonly string[]): string => `Sign in to ${listed(out)}`;

/** Of a link to Machine, which shows how. */
export const howToSignIn = (out: readonly string[]): string => `How to sign in to ${listed(out)}`;

/** It says no more than the button of a rerun. */
const ONLY_AGAIN = /^call \S+ again$/;

interface AdviceProps {
  of: NextAction;
  failedAt: string | null;
  /** Those that the rerun continues, if they are several. */
  tasks?: readonly string[] | undefined;
  /** The command to copy: in its place in the text, else below. */
  line?: string | undefined;
  isMain?: boolean;
}

/** What to do; its wait is counted down until it is over. */
export function Advice({ of, failedAt, line, isMain = false, tasks }: AdviceProps) {
  const earliest = earliestOf(of, failedAt);
  const out = isRerun(of) ? signedOutOf(tasks ?? [pageCommand(of.command!)!.continues ?? '']) : [];
  const text = of.text.replace(WAIT, '');
  // The button of a rerun says the same.
  const isSaid = earliest !== null && ONLY_AGAIN.test(text);
  const isWithin = text.includes(`\`${line}\``);
  return (
    <>
      <span class="advice">
        {earliest !== null && (
          <>
            {out.length > 0 && `${signInFirst(out)}. `}
            <From verb={isRunnable(of) ? verbOf(of) : 'Possible'} at={earliest} />.{!isSaid && ' '}
          </>
        )}
        {!isSaid && <Sentence of={text} line={line} isMain={isMain} />}
      </span>
      {line !== undefined && !isWithin && <Command line={line} isMain={isMain} earliest={earliest} />}
    </>
  );
}

/** What a button of the command is called. */
const VERBS: readonly (readonly [command: RegExp, verb: string])[] = [
  [/^budget /, 'Raise budget'],
  [/^undo /, 'Restore'],
  [/^recover /, 'Repair session'],
  [/^supervise /, 'Continue'],
  [/ --max-(?:calls|tokens|usd)=/, 'Raise the limit'],
  [/ --accept$/, 'Keep answer'],
  [/^distill resume /, 'Resume'],
  [/ --restore\b/, 'Restore and check'],
  [/ --recheck\b/, 'Check again'],
  [/ --(?:redo|redo-all)\b/, 'Redo'],
  [/ --(?:keep|keep-all)\b/, 'Keep answer'],
  [/ --wait-for-reset\b/, 'Wait and run'],
  [/ --ignore-hold\b/, 'Ignore the hold'],
  [/ --accept-changes\b/, 'Accept and run'],
];

function verbOf({ command = '', pays, text }: NextAction): string {
  if (text === 'run it') return 'Run';
  const words = (pageCommand(command)?.words ?? []).join(' ');
  const verb = VERBS.find(([of]) => of.test(words))?.[1];
  if (verb !== undefined) return verb;
  if (text.replace(WAIT, '').startsWith('continue')) return 'Continue';
  return pays ? 'Rerun' : 'Check again';
}

/** The one that continues the task, if there is one. */
export const goesOn = (of: readonly NextAction[]): NextAction | undefined =>
  of.find(isRerun) ?? of.find(({ command = '' }) => pageCommand(command)?.words[0] === 'supervise');

/** Whether it runs the task, and nothing else. */
export const isRerun = ({ command = '' }: NextAction): boolean => {
  const [verb, ...others] = pageCommand(command)?.words ?? [];
  return verb === 'run' && others.length === 1;
};

interface ActionButtonProps {
  of: NextAction;
  /** The CLI of each call that it makes, if that is no whole run. */
  tools?: readonly string[];
  isMain?: boolean;
  busy?: string | null;
  failedAt?: string | null;
  /** The text of the button that runs it. */
  verb?: string;
  /** The key of the page that presses it. */
  pressedBy?: string;
  /** Whether the head of the page says what comes first. */
  isSaid?: boolean;
}

/** What its button runs or copies: its command, or the first one that its text names. */
export const lineOf = ({ command, text }: NextAction): string | undefined => command ?? /`([^`]+)`/.exec(text)?.[1];

/** Whether a button may run it; any other command can only be copied. */
export const isRunnable = ({ command }: NextAction): boolean => command !== undefined && pageCommand(command) !== null;

/** Runs the command of an action, if the page may run it. */
export function ActionButton(props: ActionButtonProps) {
  const { of, tools, busy = null, failedAt = null, verb = verbOf(of), pressedBy } = props;
  const isAsking = useSignal(false);
  const { command = '', text } = of;
  if (!isRunnable(of)) return null;
  const { continues } = pageCommand(command)!;
  const out = continues === null ? [] : signedOutOf([continues], tools);
  const isMain = props.isMain === true;
  const earliest = earliestOf(of, failedAt);
  return (
    <>
      <Paid
        out={out}
        isMain={isMain}
        earliest={earliest}
        cost={costOf(command, tools)}
        isSaid={props.isSaid === true}
        note={isMain ? busy : null}
      >
        {({ look, end }) => (
          <button
            type="button"
            class={`button small ${look}`}
            data-key={pressedBy}
            disabled={busy !== null || earliest !== null}
            title={busy ?? text}
            onClick={() => (isAsking.value = true)}
          >
            {verb}
            {end}
          </button>
        )}
      </Paid>
      {isAsking.value && (
        <Confirm
          title={`${verb}?`}
          verb="Run it"
          act={() => change('/api/run', { command })}
          onClose={() => (isAsking.value = false)}
        >
          <p>
            <Sentence of={text} />
          </p>
          <p class="mono">
            <Words of={command} />
          </p>
          <p class="soft">{effectOf(of, tools)}</p>
        </Confirm>
      )}
    </>
  );
}

interface PaidProps {
  /** The CLIs of its calls for which no sign-in was found. */
  out: readonly string[];
  isMain: boolean;
  /** The time before which the service refuses it; null if that is over. */
  earliest?: string | null;
  cost: string;
  /** Whether an advice above says what comes first. */
  isSaid?: boolean;
  /** Why it cannot be pressed. */
  note?: string | null;
  /** The button: its look, and the end of its name. A call that fails without a sign-in is made on purpose. */
  children: (button: { look: string; end: string }) => ComponentChildren;
}

/** A button that pays: before it the sign-in that its call needs, below it what it may cost, and what comes first. */
export function Paid({ out, isMain, earliest = null, cost, isSaid = false, note = null, children }: PaidProps) {
  // Now has the sign-in once, above all rows.
  const isNow = route.value.parts[0] === 'now';
  const leads = isMain && out.length > 0 && !isNow;
  const signIn = out.length > 0 && !leads && (earliest !== null || !isNow) ? signInFirst(out) : '';
  return (
    <span class="action">
      <span class="buttons">
        {leads && (
          <a class="button small main" href={`${to('machine')}?of=${out[0]}`}>
            {howToSignIn(out)}
          </a>
        )}
        {children({
          look: isMain && out.length === 0 ? 'main' : '',
          end: out.length > 0 && earliest === null ? ' anyway' : '',
        })}
      </span>
      {cost !== '' && <PriceOf words={cost} />}
      {note !== null && <small class="dim">{note}</small>}
      {!isSaid && (signIn !== '' || earliest !== null) && (
        <small>
          {signIn !== '' && `${signIn}${earliest === null ? ' first' : '. '}`}
          {earliest !== null && <From verb="Possible" at={earliest} />}
        </small>
      )}
    </span>
  );
}

/** What a button may pay for. */
export const PriceOf = ({ words }: { words: string }) => (
  <small
    class="price"
    title={
      words.includes('–') ? 'The first figure is usual; the second has all retries that the budget allows.' : undefined
    }
  >
    {words}
  </small>
);

function costOf(command: string, tools: readonly string[] | undefined): string {
  const { words, continues } = pageCommand(command)!;
  if (continues !== null) return callsAtMost([continues], tools);
  return words[0] === 'distill resume' ? 'paid calls within its limits' : '';
}

/** An agent can write the file of the actions, so what the command does counts before what its action says. */
function effectOf({ command = '', pays, changes }: NextAction, tools: readonly string[] | undefined): string {
  const { words, continues } = pageCommand(command) ?? { words: [], continues: null };
  if (words[0] === 'budget') return 'It allows more paid calls.';
  if (words[0] === 'distill resume')
    return 'Accepted sections cost nothing. Each further section makes a paid call, within the limits of the book.';
  const cost =
    continues === null
      ? pays
        ? 'It makes a paid call.'
        : 'It makes no paid call.'
      : `Finished stages and existing answers cost nothing. ${callsLeft([continues], tools)}`;
  if (changes !== 'gate' && changes !== 'scope') return cost;
  return `The command does not edit the manifest or the answer: do that first, as described above, or the check fails again. ${cost}`;
}
