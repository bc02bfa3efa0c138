// A CLI that a project describes as data, in `tools` of its tollgate.yaml.

import type { OwnTool } from '../facts/tools.ts';

/** Plain data: it goes from the dispatcher to the wrapper, and stays with the call. */
export interface OwnToolRow {
  name: OwnTool;
  /** A program on the PATH, or the absolute path of one. */
  binary: string;
  /** A word may hold places; a list of words is left out where one of its places has no value. */
  argv: readonly (string | readonly string[])[];
  environment: Readonly<Record<string, string>>;
  prompt: 'stdin' | 'file';
  maxPromptBytes: number | null;
  output: OwnOutput;
  /** What stands in a line of JSON, or in the one document; of text and files nothing does. */
  events: readonly OwnEvent[];
  /** With which it says that it succeeded, where no event says so. */
  successExits: readonly number[];
  /** The words for each mode of access; null: it knows none, and none is asked of it. */
  access: Readonly<Partial<Record<'read' | 'write' | 'full', readonly string[]>>> | null;
  retries: {
    argv: readonly string[];
    environment: Readonly<Record<string, string>>;
    /** Phrases in a line of stderr that announces a further try; what its last `*` stands for is the cause. */
    announced: readonly string[];
  };
  /** The words that ask it for its version; null: it is not asked. */
  version: readonly string[] | null;
  /** The npm package that it is in; null: none. */
  packageName: string | null;
  timeoutMs: number;
  exits: { timeout: number; failure: number; missingBinary: number; badInput: number };
}

/** Where its answer stands: all of stdout, a field of the JSON on stdout, fields of lines of JSON, or the file of `{answer_file}`. */
type OwnOutput = 'text' | 'json' | 'lines' | 'file';

/** Each text is a path of fields within the JSON, such as `part.text`. */
export interface OwnEvent {
  /** Fields that must have one of these values; without it every line is meant. */
  when: Readonly<Record<string, readonly (string | number | boolean)[]>>;
  session?: string;
  model?: string;
  /** A whole message of the answer. */
  answer?: string;
  /** A piece of one. */
  piece?: string;
  /** The name of a tool that ran. */
  tool?: string;
  /** The name of a tool that was denied. */
  denied?: string;
  /** The name of an MCP server that failed. */
  server_failed?: string;
  warning?: string;
  /** An error that need not be the end. */
  error?: string;
  /** It announces a further try, and why. */
  retry?: string;
  /** The end, without success. */
  failure?: string;
  status?: string;
  code?: string;
  /** What else the service said. */
  details?: string;
  tokens?: Readonly<Partial<Record<'input' | 'cached' | 'output' | 'total', string>>>;
  /** These come on top of those told before; else they are totals. */
  adds?: true;
  requests?: string;
  usd?: string;
  /** A request to the model. */
  requested?: true;
  /** The end, with success. */
  completed?: true;
}
