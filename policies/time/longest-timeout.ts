// The longest deadline that can be asked for.

/** 12 days: twice as much, which wait_done allows, still fits a timer of Node. */
export const MAX_TIMEOUT_MS = 12 * 24 * 3_600_000;
