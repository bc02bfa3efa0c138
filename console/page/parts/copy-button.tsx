// Renders a button that copies a text, and says beside it whether that worked.

import { useSignal } from '../reactive.ts';

interface CopyButtonProps {
  text: string;
  /** Of the button, such as `Copy ids`. */
  name?: string;
  /** Read aloud after the name, if several buttons have the same name. */
  of?: string;
}

const SAID_MS = 2_000;

export function CopyButton({ text, name = 'Copy', of }: CopyButtonProps) {
  const said = useSignal<string | null>(null);
  const say = (word: string) => {
    said.value = word;
    setTimeout(() => {
      said.value = null;
    }, SAID_MS);
  };
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => say('Copied'),
      () => say('Not allowed'),
    );
  return (
    <button type="button" class="button small" onClick={() => void copy()}>
      <span aria-live="polite">{said.value ?? name}</span>
      {of !== undefined && <span class="unseen"> {of}</span>}
    </button>
  );
}
