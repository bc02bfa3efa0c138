// Renders the button that copies a text, and says in its own place whether it was copied.

import { useSignal } from '../reactive.ts';
import { Icon } from './icon.tsx';

interface CopyButtonProps {
  text: string;
  /** Such as `Copy ids`. */
  name: string;
  isMain?: boolean;
  /** `short`: an icon and its first word; `icon`: the icon alone. The rest of the name is read aloud. */
  look?: 'whole' | 'short' | 'icon';
}

const SAID_MS = 2_000;

/** Says in its own place whether the text was copied. */
export function CopyButton({ text, name, isMain = false, look = 'whole' }: CopyButtonProps) {
  const said = useSignal<string | null>(null);
  const say = (word: string) => {
    said.value = word;
    setTimeout(() => {
      said.value = null;
    }, SAID_MS);
  };
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => say(name.replace('Copy', 'Copied')),
      () => say('Not allowed'),
    );
  const now = said.value ?? name;
  const [verb = '', ...rest] = now.split(' ');
  return (
    <button
      type="button"
      class={`button small ${isMain ? 'main' : ''} ${look === 'icon' ? 'quiet' : ''}`}
      title={look === 'whole' ? undefined : now}
      onClick={() => void copy()}
    >
      {look !== 'whole' && <Icon name={said.value === null ? 'copy' : 'done'} />}
      <span aria-live="polite" class={look === 'icon' ? 'unseen' : undefined}>
        {look === 'short' ? (
          <>
            {verb}
            <span class="unseen"> {rest.join(' ')}</span>
          </>
        ) : (
          now
        )}
      </span>
    </button>
  );
}
