// Packs the first three characters of a word into one number, which rejects most words cheaply.

const HEADS = 32 ** 3;

/** One entry for each head; two heads may share one, in either case and among rare signs. */
type ByHead = Int32Array;

export const byHead = (): ByHead => new Int32Array(HEADS);

export const headAt = (codes: ArrayLike<number>, at: number): number =>
  ((codes[at]! & 31) << 10) | ((codes[at + 1]! & 31) << 5) | (codes[at + 2]! & 31);

/** The head of a word that is spelled out. */
export const headOf = (word: string): number =>
  headAt(
    [0, 1, 2].map((at) => word.charCodeAt(at)),
    0,
  );
