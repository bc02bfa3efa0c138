// Defines a completion for the end of a line that is being typed.

export interface Candidate {
  word: string;
  /** One line; may be ''. */
  about: string;
}

/** What kind of words a command takes; a list contains the possible first words. */
export type WordKind = 'task' | 'session' | 'tool' | readonly string[];
