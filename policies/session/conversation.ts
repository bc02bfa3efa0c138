// Defines a conversation with an agent, in one shape for all CLIs, whatever file format the CLI uses.

export interface Turn {
  /** From 1, in the order of the conversation. */
  number: number;
  /** ISO time of its prompt; null if the file does not contain one. */
  at: string | null;
  prompt: string;
  /** What followed the prompt, in order. */
  items: readonly Item[];
  /** Tokens of its last model request; null if none was counted. */
  tokens: ContextTokens | null;
}

export type Item =
  | { how: 'said'; text: string }
  | { how: 'thought'; text: string }
  /** `input`: the arguments as JSON text. */
  | { how: 'called'; id: string; name: string; input: string }
  | { how: 'responded'; id: string; name: string | null; output: string; failed: boolean }
  /** What the CLI itself records: an interruption, an error. */
  | { how: 'noted'; text: string };

/** How much of the context one model request used, in tokens. */
export interface ContextTokens {
  input: number;
  output: number;
}

/** Why the service would reject what the CLI sends on the next resume. */
export type Flaw =
  | { how: 'unanswered_call'; turn: number; id: string; name: string }
  | { how: 'doubled_response'; turn: number; id: string; name: string }
  | { how: 'stray_response'; turn: number; id: string; name: string | null };

/** A turn as history shows it. Turns that were taken back are shown too. */
export interface ShownTurn extends Turn {
  state: 'active' | 'reverted';
  /** `rest`: the items taken back from a turn. The turn before has its number and its prompt (and maybe items). */
  part: 'whole' | 'rest';
}
