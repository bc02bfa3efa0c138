// Defines the longest deadline that can be requested.

/** 12 days: twice as much, which wait_done allows, still fits in a Node timer. */
export const MAX_TIMEOUT_MS = 12 * 24 * 3_600_000;
