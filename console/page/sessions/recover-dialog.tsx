// Offers the ways to recover a conversation that the service no longer accepts, as a dialog of four choices.

import { Confirm } from '../parts/confirm.tsx';
import { type ComponentChildren, useSignal } from '../reactive.ts';
import { Words } from '../text/words.tsx';

const CHOICES = [
  {
    id: 'rollback',
    name: 'Deep rollback',
    does: 'Goes back to before the last prompt, which goes as well, with all that followed it.',
  },
  {
    id: 'clear',
    name: 'Clear turn',
    does: 'Mends what is wrong; where nothing is, takes back the last step alone.',
  },
  {
    id: 'export',
    name: 'Export diagnostic',
    does: 'Writes down all that is known of it, without secrets, and changes nothing.',
  },
  { id: 'ignore', name: 'Ignore', does: 'Leaves it as it is.' },
] as const;

type RecoveryChoice = (typeof CHOICES)[number]['id'];

interface RecoverDialogProps {
  title: string;
  /** The state of the conversation. */
  about: ComponentChildren;
  first: RecoveryChoice;
  act: (choice: RecoveryChoice) => Promise<{ what: string; wayOut: string | null } | null>;
  onClose: () => void;
}

export function RecoverDialog({ title, about, first, act, onClose }: RecoverDialogProps) {
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
      <p class="dim">A backup is kept of what is changed; undo with its number brings it back.</p>
    </Confirm>
  );
}
