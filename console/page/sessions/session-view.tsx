// Shows one conversation: its turns, what was taken back, and the ways to recover it.

import { classWord } from '../../../policies/facts/classes.ts';
import type { Actions } from '../../contract/page.ts';
import type { ResourcesOf } from '../../contract/resources.ts';
import type { ConversationShown, SessionCall } from '../../contract/sessions.ts';
import { useFollowing } from '../live/follow.ts';
import { change, partOf } from '../live/requests.ts';
import { Sentence } from '../parts/actions.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { count, counted } from '../parts/figures.ts';
import { Panel } from '../parts/panel.tsx';
import { Shown, type ShownTrouble } from '../parts/shown.tsx';
import { Table } from '../parts/table.tsx';
import { Ago } from '../parts/times.tsx';
import { type ComponentChildren, type Signal, useSignal } from '../reactive.ts';
import { to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { Words } from '../text/words.tsx';
import { Conversation } from './conversation.tsx';

export function SessionView({ id }: { id: string }) {
  const session = useFollowing<ResourcesOf['session']>(
    `/api/sessions/${partOf(id)}`,
    (topic) => topic === 'sessions' || topic === '*',
  );
  const open = useSignal<Opened | null>(null);
  const shown = session.value.value;
  return (
    <View
      crumbs={<a href={to('sessions')}>Sessions</a>}
      aside={shown !== null && <Undoing of={shown} open={open} />}
      title={<Words of={shown === null ? id : titleOf(shown)} />}
      about={shown?.goal ? <Words of={shown.goal} /> : undefined}
      facts={shown === null ? undefined : factsOf(shown)}
    >
      <Shown of={session} what="the conversation" list={{ name: 'All sessions', address: to('sessions') }}>
        {(of) => <Sheet of={of} open={open} renew={session.renew} />}
      </Shown>
    </View>
  );
}

/** The task and the stage that it was made by last; else what leads to it. */
function titleOf({ calls, tag, tool, turns }: ConversationShown): string {
  const last = calls.at(-1);
  if (last !== undefined) return `${last.task_id}, ${last.stage}`;
  const begins = turns[0]?.prompt?.split('\n', 1)[0]?.slice(0, MOST_TITLE);
  return tag ?? (begins || `A conversation with ${tool}`);
}

const MOST_TITLE = 80;

const factsOf = ({ tool, all, reverted, session_id: id }: ConversationShown) =>
  [
    ['CLI', tool],
    ['Turns', count(all - reverted)],
    ...(reverted > 0 ? ([['Reverted', count(reverted)]] as const) : []),
    [
      'Id',
      <span key="id" class="mono">
        <Words of={id} />
      </span>,
    ],
  ] as const;

/** Which dialog is open; a number: that restores the answer of that number. */
type Opened = 'undo' | 'recover' | number;

interface UndoingProps {
  of: ConversationShown;
  open: Signal<Opened | null>;
}

const Recover = ({ open, isMain = false }: Pick<UndoingProps, 'open'> & { isMain?: boolean }) => (
  <button type="button" class={`button ${isMain ? 'main' : ''}`} onClick={() => (open.value = 'recover')}>
    Recover …
  </button>
);

/** The buttons that take back and restore answers, and that of the recovery if nothing is wrong. */
const Undoing = ({ of: { all, reverted, redo, health }, open }: UndoingProps) => (
  <>
    <button type="button" class="button" disabled={all === reverted} onClick={() => (open.value = 'undo')}>
      Undo the last answer
    </button>
    {redo.map(({ n, at }) => (
      <button key={n} type="button" class="button" onClick={() => (open.value = n)}>
        {redoName(n, redo.length)}{' '}
        <span class="dim">
          (<Ago at={at} />)
        </span>
      </button>
    ))}
    {health.flaws.length === 0 && <Recover open={open} />}
  </>
);

function Sheet({ of, open, renew }: UndoingProps & { renew: () => void }) {
  const { session_id: session, turns, redo, notes, health, calls } = of;
  const close = () => {
    open.value = null;
  };
  const act = async <P extends keyof Actions>(path: P, wish: Actions[P]) => {
    const problem = await change(path, wish);
    if (problem === null) renew();
    return problem;
  };
  const shown = open.value;
  const isFlawed = health.flaws.length > 0;
  return (
    <>
      {isFlawed && (
        <section class="panel failure" aria-label="What is wrong">
          <p class="sentence">The service would reject this conversation.</p>
          <ul class="plain-list">
            {health.flaws.map((flaw) => (
              <li key={flaw}>
                <Sentence of={flaw} />
              </li>
            ))}
          </ul>
          <div class="buttons">
            <Recover open={open} isMain />
            <span class="soft">
              It repairs the file of the conversation, after a backup, and makes no paid call. You choose how first.
            </span>
          </div>
        </section>
      )}
      {!isFlawed && (
        <p class="soft" aria-live="polite">
          {health.lines.at(-1)}
        </p>
      )}
      {notes.map((note) => (
        <p class="notice wait" key={note}>
          <Words of={note} />
        </p>
      ))}
      {calls.length > 0 && <Calls of={calls} />}
      <Conversation turns={turns} flawed={health.flawed_turns} />
      {shown === 'undo' && (
        <Confirm
          title="Undo the last answer?"
          verb="Undo"
          tone="grave"
          act={() => act('/api/undo', { session })}
          onClose={close}
        >
          <p>
            What the model answered last is taken out of the file of its CLI; the prompt stays. It remains to be seen
            here, struck through, and can be restored.
          </p>
        </Confirm>
      )}
      {typeof shown === 'number' && (
        <Confirm
          title={`${redoName(shown, redo.length)}?`}
          verb="Restore it"
          act={() => act('/api/redo', { session, n: shown })}
          onClose={close}
        >
          <p>The conversation becomes what it was before that was taken back.</p>
        </Confirm>
      )}
      {shown === 'recover' && (
        <RecoverDialog
          title="Recover this conversation"
          about={
            <ul class="plain-list">
              {health.lines.map((line) => (
                <li key={line}>
                  <Words of={line} />
                </li>
              ))}
            </ul>
          }
          first={isFlawed ? 'clear' : 'rollback'}
          act={(choice) => act('/api/recover', { session, choice })}
          onClose={close}
        />
      )}
    </>
  );
}

const redoName = (n: number, of: number): string => `Restore the undone answer${of === 1 ? '' : ` no. ${n}`}`;

const HEADS = ['Task', 'Attempt', 'Ended', 'Began'] as const;

/** The calls that made the conversation, with the task and the failure of each. */
function Calls({ of }: { of: readonly SessionCall[] }) {
  return (
    <Panel title={`Made by ${counted(of.length, 'call')}`} edge="flush">
      <Table label="Calls of this conversation" heads={HEADS}>
        {of.map(({ task_id: task, stage, attempt, at, class: errorClass }) => (
          <tr key={`${task} ${at} ${stage} ${attempt}`}>
            <th scope="row">
              <a href={to('tasks', task)}>
                <Words of={task} />
              </a>
            </th>
            <td>
              <a href={to('tasks', task, 'attempts')}>
                <Words of={stage} /> no. {attempt}
              </a>
            </td>
            <td>
              {errorClass === null ? (
                'answered'
              ) : (
                <a href={to('tasks', task, 'explain')}>failed: {classWord(errorClass)}</a>
              )}
            </td>
            <td>
              <Ago at={at} />
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

/** Offers the ways to recover a conversation that the service no longer accepts, as a dialog of four choices. */
const CHOICES = [
  {
    id: 'rollback',
    name: 'Deep rollback',
    does: 'Goes back to before the last prompt, which goes as well, with all that followed it.',
  },
  {
    id: 'clear',
    name: 'Clear turn',
    does: 'Repairs what is wrong. Where nothing is, takes back only the last step.',
  },
  {
    id: 'export',
    name: 'Export diagnostic',
    does: 'Writes what is known of it to a file, without secrets, and changes nothing.',
  },
  { id: 'ignore', name: 'Ignore', does: 'Changes nothing.' },
] as const;

type RecoveryChoice = (typeof CHOICES)[number]['id'];

interface RecoverDialogProps {
  title: string;
  /** The state of the conversation. */
  about: ComponentChildren;
  first: RecoveryChoice;
  act: (choice: RecoveryChoice) => Promise<ShownTrouble | null>;
  onClose: () => void;
}

function RecoverDialog({ title, about, first, act, onClose }: RecoverDialogProps) {
  const chosen = useSignal<RecoveryChoice>(first);
  return (
    <Confirm
      title={<Words of={title} />}
      verb="Do it"
      tone={chosen.value === 'rollback' || chosen.value === 'clear' ? 'grave' : 'main'}
      act={() => act(chosen.value)}
      onClose={onClose}
    >
      <div class="soft">{about}</div>
      <fieldset class="choices">
        <legend class="unseen">How shall it go on?</legend>
        {CHOICES.map(({ id, name, does }) => (
          <label class="choice" key={id}>
            <input
              type="radio"
              name="recovery"
              checked={chosen.value === id}
              onChange={() => {
                chosen.value = id;
              }}
            />
            <b>{name}</b>
            <small>{does}</small>
          </label>
        ))}
      </fieldset>
      <p class="dim">A backup is made first. You can bring it back by its number.</p>
    </Confirm>
  );
}
