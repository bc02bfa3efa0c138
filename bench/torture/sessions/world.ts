// The world of a round with sessions: a project, agents on the PATH, and how often they were called.

export interface SessionWorld {
  project: string;
  env: Record<string, string>;
  /** So far; of the real ones, how often they asked the model. */
  calls(): number;
  /** @param what becomes of the folders. */
  close(what: 'removed' | 'kept'): Promise<void>;
}
