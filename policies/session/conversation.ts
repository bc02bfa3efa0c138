// A conversation with an agent, in one shape for all CLIs, whatever file its own CLI keeps it in.

export interface Turn {
  /** From 1, in the order of the conversation. */
  number: number;
  /** ISO time of its prompt; null where the file does not say. */
  at: string | null;
  prompt: string;
  /** What followed the prompt, in order. */
  items: readonly Item[];
  /** Of its last model request; null where none was counted. */
  tokens: ContextTokens | null;
}

export type Item =
  | { how: 'said'; text: string }
  | { how: 'thought'; text: string }
  /** `input`: the arguments as JSON text. */
  | { how: 'called'; id: string; name: string; input: string }
  | { how: 'responded'; id: string; name: string | null; output: string; failed: boolean }
  /** What the CLI notes for itself: an interruption, an error. */
  | { how: 'noted'; text: string };

/** What one model request took up of the context, in tokens. */
export interface ContextTokens {
  input: number;
  output: number;
}

/** Why the service would not accept what the CLI sends on the next resume. */
export type Flaw =
  | { how: 'unanswered_call'; turn: number; id: string; name: string }
  | { how: 'doubled_response'; turn: number; id: string; name: string }
  | { how: 'stray_response'; turn: number; id: string; name: string | null };

/** A turn as history shows it: one that was taken back is still there to see. */
export interface ShownTurn extends Turn {
  state: 'active' | 'reverted';
  /** `rest`: its prompt stands (or more of it), as the turn of that number before this one; these are the items that do not. */
  part: 'whole' | 'rest';
}
