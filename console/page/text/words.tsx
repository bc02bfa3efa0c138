// Text of models, CLIs, files and manifests: as text, apart from the direction of what stands around it, with hidden signs shown.

import { piecesOf } from './signs.ts';

/** Of a text within a line. */
const MOST_IN_LINE = 2_000;

/** Within a line. */
export function Words({ of }: { of: string }) {
  return <bdi class="word">{signs(of.length > MOST_IN_LINE ? `${of.slice(0, MOST_IN_LINE)}…` : of)}</bdi>;
}

const signs = (text: string) =>
  piecesOf(text).map((piece) =>
    'text' in piece ? (
      piece.text
    ) : (
      <span class="sign" title={piece.name}>
        {piece.sign}
      </span>
    ),
  );
