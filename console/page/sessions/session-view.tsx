// Shows one conversation: its turns, what was taken back, and the ways to recover it.

import type { Actions } from '../../contract/actions.ts';
import type { ResourcesOf } from '../../contract/resources.ts';
import type { ConversationShown } from '../../contract/sessions.ts';
import { partOf } from '../live/address.ts';
import { change } from '../live/change.ts';
import { useFollowing } from '../live/follow.ts';
import { Confirm } from '../parts/confirm.tsx';
import { counted } from '../parts/figures.ts';
import { Shown } from '../parts/shown.tsx';
import { Ago } from '../parts/times.tsx';
import { useSignal } from '../reactive.ts';
import { to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { Words } from '../text/words.tsx';
import { Conversation } from './conversation.tsx';
import { RecoverDialog } from './recover-dialog.tsx';

export function SessionView({ id }: { id: string }) {
  const session = useFollowing<ResourcesOf['session']>(
    `/api/sessions/${partOf(id)}`,
    (topic) => topic === 'sessions' || topic === '*',
  );
  return (
    <View crumbs={<a href={to('sessions')}>Sessions</a>} title={<Words of={id} />}>
      <Shown of={session} what="the conversation">
        {(shown) => <Sheet of={shown} renew={session.renew} />}
      </Shown>
    </View>
  );
}

function Sheet({ of, renew }: { of: ConversationShown; renew: () => void }) {
  const open = useSignal<'undo' | 'recover' | number | null>(null);
  const { session_id: session, tool, all, reverted, turns, redo, notes, health } = of;
  const close = () => {
    open.value = null;
  };
  const act = async <P extends keyof Actions>(path: P, wish: Actions[P]) => {
    const problem = await change(path, wish);
    if (problem === null) renew();
    return problem;
  };
  const shown = open.value;
  return (
    <>
      <div class="bar">
        <span class="soft" aria-live="polite">
          {tool}, {counted(all - reverted, 'turn')}
          {reverted > 0 && ` and ${reverted} reverted`}; {health.lines.at(-1)}
        </span>
        <div class="buttons">
          <button type="button" class="button" disabled={all === reverted} onClick={() => (open.value = 'undo')}>
            Undo the last answer
          </button>
          {redo.map(({ n, next, at }) => (
            <button key={n} type="button" class="button" onClick={() => (open.value = n)}>
              Bring back no. {n}
              {next && ', the next'}{' '}
              <span class="dim">
                (<Ago at={at} />)
              </span>
            </button>
          ))}
          <button type="button" class="button" onClick={() => (open.value = 'recover')}>
            Recover …
          </button>
        </div>
      </div>
      {notes.map((note) => (
        <p class="notice wait" key={note}>
          <Words of={note} />
        </p>
      ))}
      <Conversation turns={turns} />
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
            here, struck through, and can be brought back.
          </p>
        </Confirm>
      )}
      {typeof shown === 'number' && (
        <Confirm
          title={`Bring back no. ${shown}?`}
          verb="Bring back"
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
          first={health.flawed ? 'clear' : 'rollback'}
          act={(choice) => act('/api/recover', { session, choice })}
          onClose={close}
        />
      )}
    </>
  );
}
