// Why a distillation pauses, as a table: what each means, and what a person does next.

interface PauseRow {
  /** As the status shows it: `paused (refusal)`. */
  shown: string;
  /** Half a sentence; `NAME` is the run's. */
  next: string;
}

const ACCEPT =
  'tollgate distill resume NAME --accept keeps the answer after all; without --accept it is asked for again';

/** Those of an answer that is held; `--no-check` switches each off. */
export const ANOMALY_PAUSES = {
  refusal: { shown: 'refusal', next: ACCEPT },
  short: { shown: 'empty/short', next: ACCEPT },
  loop: { shown: 'loop', next: ACCEPT },
  control_tokens: { shown: 'leaked control tokens', next: ACCEPT },
  finish_reason: { shown: 'cut or blocked answer', next: ACCEPT },
  model_changed: { shown: 'another model answered', next: `${ACCEPT}, and most likely held again` },
} as const satisfies Record<string, PauseRow>;

export const PAUSES = {
  ...ANOMALY_PAUSES,
  asked: { shown: 'as you asked', next: 'tollgate distill resume NAME goes on' },
  error: { shown: 'error', next: 'mend that; tollgate distill resume NAME goes on where it stopped' },
  file_lost: { shown: 'file lost twice', next: 'see in a minute; tollgate distill resume NAME uploads it anew' },
  processing: {
    shown: 'the file was not processed',
    next: 'see whether the book opens; then tollgate distill resume NAME',
  },
  reset: {
    shown: 'a limit with a reset',
    next: 'tollgate distill resume NAME after the reset, or with a longer --auto-wait',
  },
  retries: { shown: 'the service keeps failing', next: 'tollgate distill resume NAME later' },
  calls: {
    shown: 'the budget of paid calls is used up',
    next: 'tollgate distill resume NAME --max-calls N allows more',
  },
  disk: { shown: 'the disk is full', next: 'free some space; then tollgate distill resume NAME' },
  book: { shown: 'the book', next: 'put the book back in its place; then tollgate distill resume NAME' },
} as const satisfies Record<string, PauseRow>;

export type PauseReason = keyof typeof PAUSES;
