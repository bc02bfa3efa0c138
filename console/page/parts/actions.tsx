// Shows suggested actions: each with a button that runs its command, after a confirmation if it pays or changes something, or copies it.

import { actionLine, type NextAction } from '../../../policies/facts/next-action.ts';
import { pageCommand } from '../../contract/page-command.ts';
import { change } from '../live/requests.ts';
import { useSignal } from '../reactive.ts';
import { tellDone, tellProblem } from '../shell/notes.tsx';
import { Words } from '../text/words.tsx';
import { Confirm } from './dialog.tsx';

/** The first action that a button can run is the main one. @param busy why no command can be run now; null if one can. */
export function ActionList({ of, busy = null }: { of: readonly NextAction[]; busy?: string | null }) {
  const main = of.find(({ command }) => command !== undefined && pageCommand(command) !== null);
  return (
    <ol class="actions">
      {of.map((action) => (
        <li key={actionLine(action)}>
          <span>
            <Words of={sentenceOf(action.text)} />
            {action.command !== undefined && (
              <code>
                <Words of={action.command} />
              </code>
            )}
          </span>
          <ActionButton of={action} isMain={action === main} busy={busy} />
        </li>
      ))}
    </ol>
  );
}

const sentenceOf = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

interface ActionButtonProps {
  of: NextAction;
  isMain?: boolean;
  busy?: string | null;
  /** The text of the button that runs it. */
  verb?: string;
  /** The key of the page that presses it. */
  pressedBy?: string;
}

/** Runs the command of an action, or copies it if the page may not run it. Without a command there is no button. */
export function ActionButton({ of, isMain = false, busy = null, verb = 'Run', pressedBy }: ActionButtonProps) {
  const isAsking = useSignal(false);
  const { command, text } = of;
  if (command === undefined) return null;
  if (pageCommand(command) === null) return <CopyButton text={command} of="the command" />;
  return (
    <span class="action">
      <button
        type="button"
        class={`button small ${isMain ? 'main' : ''}`}
        data-key={pressedBy}
        disabled={busy !== null}
        title={busy ?? text}
        onClick={() => (isAsking.value = true)}
      >
        {verb}
      </button>
      {busy !== null && isMain && <small class="dim">{busy}</small>}
      {isAsking.value && (
        <Confirm
          title="Run this command?"
          verb="Run it"
          act={() => change('/api/run', { command })}
          onClose={() => (isAsking.value = false)}
        >
          <p>
            <Words of={sentenceOf(text)} />
          </p>
          <p class="mono">
            <Words of={command} />
          </p>
          <p class="soft">{effectOf(of)}</p>
        </Confirm>
      )}
    </span>
  );
}

const LOOSENS = {
  gate: 'It weakens the gate of this task.',
  scope: 'It widens the files that this task may change.',
  budget: 'It allows more paid calls.',
} as const;

/** An agent can write the file of the actions, so what the command does counts before what its action says. */
function effectOf({ command = '', pays, changes }: NextAction): string {
  const { words, continues } = pageCommand(command) ?? { words: [], continues: null };
  if (words[0] === 'budget') return LOOSENS.budget;
  if (changes !== null) return LOOSENS[changes];
  if (pays) return 'It makes paid calls, within the budget of the task.';
  return continues === null
    ? 'It makes no paid call.'
    : 'It makes no paid call itself; stages that are still open are called, within the budget of the task.';
}

/** @param of what is copied, for its name. */
export function CopyButton({ text, of }: { text: string; of: string }) {
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => tellDone(`The page copied ${of}.`),
      () => tellProblem({ what: 'The browser did not allow the page to copy it.', wayOut: null }),
    );
  return (
    <button type="button" class="button small" aria-label={`Copy ${of}`} onClick={() => void copy()}>
      Copy
    </button>
  );
}
