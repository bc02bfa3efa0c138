// Lists why a distillation pauses: the meaning of each reason, and what the user can do next.

export interface PauseRow {
  /** As the status shows it: `paused (refusal)`. */
  shown: string;
  /** What the user can do next, with the flag for `tollgate distill resume`; the best choice first. */
  next: readonly { text: string; flag?: '--accept' | '--max-calls' }[];
}

const RESUME = 'continue where it stopped';
const HELD = [
  { text: 'ask for the section again' },
  { text: 'keep the answer that is held', flag: '--accept' },
] as const;

/** The pauses for a held answer; `--no-check` switches each check off. */
export const ANOMALY_PAUSES = {
  refusal: { shown: 'refusal', next: HELD },
  short: { shown: 'empty/short', next: HELD },
  loop: { shown: 'loop', next: HELD },
  control_tokens: { shown: 'leaked control tokens', next: HELD },
  finish_reason: { shown: 'cut or blocked answer', next: HELD },
  model_changed: {
    shown: 'another model answered',
    next: [
      { text: 'ask for the section again; its answer is most likely held again' },
      { text: 'keep the answer that is held', flag: '--accept' },
    ],
  },
} as const satisfies Record<string, PauseRow>;

export const PAUSES = {
  ...ANOMALY_PAUSES,
  asked: { shown: 'as you asked', next: [{ text: RESUME }] },
  error: { shown: 'error', next: [{ text: `fix that, then ${RESUME}` }] },
  file_lost: { shown: 'file lost twice', next: [{ text: 'in a minute, upload it again and continue' }] },
  processing: { shown: 'the file was not processed', next: [{ text: `see whether the book opens, then ${RESUME}` }] },
  reset: { shown: 'a limit with a reset', next: [{ text: `after the reset, ${RESUME} (--auto-wait waits for it)` }] },
  retries: {
    shown: 'the service keeps failing',
    next: [{ text: `no sooner than 5 minutes after the pause, ${RESUME}` }],
  },
  calls: {
    shown: 'the budget of paid calls is used up',
    next: [{ text: `raise the limit, and ${RESUME}`, flag: '--max-calls' }],
  },
  disk: { shown: 'the disk is full', next: [{ text: `free some space, then ${RESUME}` }] },
  book: { shown: 'the book', next: [{ text: `put the book back in its place, then ${RESUME}` }] },
} as const satisfies Record<string, PauseRow>;

export type PauseReason = keyof typeof PAUSES;
