// One step of the way of a text to its normal form.

/** One word or token of the text, in its order. */
export interface Step {
  /** The class that ate it; null = it was kept. */
  class: string | null;
  /** What stands for it in the normal form; '' = nothing. */
  put: string;
  /** What stood in the text, at most 120 characters of it; of a secret only its placeholder. */
  piece: string;
  /** Where it stood. */
  from: number;
  to: number;
}
