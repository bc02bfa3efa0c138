// Shows text of models, CLIs, files and manifests as plain text: isolates its direction and shows hidden characters.

import { useSignal } from '../reactive.ts';
import { piecesOf } from './signs.ts';

/** A longer text would block the page. */
const MOST_CHARS = 20_000;
const MOST_IN_LINE = 2_000;

/** Within a line. */
export function Words({ of }: { of: string }) {
  return <bdi class="word">{signs(of.length > MOST_IN_LINE ? `${of.slice(0, MOST_IN_LINE)}…` : of)}</bdi>;
}

/** In separate lines; a long text is cut until the user requests the rest. */
export function Quote({ of, label, as = 'text' }: { of: string; label: string; as?: 'text' | 'code' }) {
  const whole = useSignal(false);
  const isCut = of.length > MOST_CHARS && !whole.value;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls, and this box scrolls a text */}
      <div role="group" class={as === 'code' ? 'said mono' : 'said'} dir="auto" tabIndex={0} aria-label={label}>
        {signs(isCut ? of.slice(0, MOST_CHARS) : of)}
      </div>
      {isCut && (
        <button type="button" class="button small" onClick={() => (whole.value = true)}>
          Show all {of.length.toLocaleString('en')} characters
        </button>
      )}
    </>
  );
}

export const signs = (text: string) =>
  piecesOf(text).map((piece) =>
    'text' in piece ? (
      piece.text
    ) : (
      <span class="sign" title={piece.name}>
        {piece.sign}
      </span>
    ),
  );
