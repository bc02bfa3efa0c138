// Text of models, CLIs, files and manifests: as text, apart from the direction of what stands around it, with hidden signs shown.

import { useSignal } from '../reactive.ts';
import { piecesOf } from './signs.ts';

/** More at once would hold up the page. */
const MOST_CHARS = 20_000;
/** Of a text within a line. */
const MOST_IN_LINE = 2_000;

/** Within a line. */
export function Words({ of }: { of: string }) {
  return <bdi class="word">{signs(of.length > MOST_IN_LINE ? `${of.slice(0, MOST_IN_LINE)}…` : of)}</bdi>;
}

/** In lines of its own; a long one is cut until somebody asks for the rest. */
export function Said({ of, label, as = 'text' }: { of: string; label: string; as?: 'text' | 'code' }) {
  const whole = useSignal(false);
  const isCut = of.length > MOST_CHARS && !whole.value;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class={as === 'code' ? 'said mono' : 'said'} dir="auto" tabIndex={0} aria-label={label}>
        {signs(isCut ? of.slice(0, MOST_CHARS) : of)}
      </section>
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
