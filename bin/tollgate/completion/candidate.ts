// What may stand at the end of a line that is being typed.

export interface Candidate {
  word: string;
  /** One line, may be ''. */
  about: string;
}

/** What the words of a command are; a list is the words that may stand first. */
export type WordKind = 'task' | 'session' | 'tool' | readonly string[];
