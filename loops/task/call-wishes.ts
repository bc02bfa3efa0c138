// What a person wishes of every call of a run.

/** What a run wishes for each of its calls. */
export interface CallWishes {
  trustWorkspace: boolean;
  /** Whether what the CLI wrote stays in the attempt as it came. */
  keepRaw: boolean;
  /** Whether its requests go through a relay, so that the one that fails is logged as it was sent. */
  recordRequests: boolean;
}
