// Defines a CLI that a project describes as data, in `tools` of its tollgate.yaml.

import type { OwnTool } from '../facts/tools.ts';

/** Plain data: the dispatcher passes it to the wrapper, and it is stored with the call. */
export interface OwnToolRow {
  name: OwnTool;
  /** A program on the PATH, or the absolute path of one. */
  binary: string;
  /** A word may contain places. A list of words is omitted if one of its places has no value. */
  argv: readonly (string | readonly string[])[];
  environment: Readonly<Record<string, string>>;
  prompt: 'stdin' | 'file';
  maxPromptBytes: number | null;
  output: OwnOutput;
  /** The meaning of the fields in a JSON line, or in the one JSON document; empty for text and files. */
  events: readonly OwnEvent[];
  /** The exit codes that mean success if no event reports it. */
  successExits: readonly number[];
  /** The words for each access mode; null if the CLI has no modes, so none is requested. */
  access: Readonly<Partial<Record<'read' | 'write' | 'full', readonly string[]>>> | null;
  retries: {
    argv: readonly string[];
    environment: Readonly<Record<string, string>>;
    /** Phrases in a line of stderr that announces a retry. The text for the last `*` is the cause. */
    announced: readonly string[];
  };
  /** The words that request its version; null if the version is not requested. */
  version: readonly string[] | null;
  /** Its npm package; null if there is none. */
  packageName: string | null;
  timeoutMs: number;
  exits: { timeout: number; failure: number; missingBinary: number; badInput: number };
}

/** Where the answer is: all of stdout, a field of the JSON on stdout, fields of JSON lines, or the file of `{answer_file}`. */
type OwnOutput = 'text' | 'json' | 'lines' | 'file';

/** Each text is a path of fields within the JSON, such as `part.text`. */
export interface OwnEvent {
  /** Fields that must have one of these values. Without it, every line matches. */
  when: Readonly<Record<string, readonly (string | number | boolean)[]>>;
  session?: string;
  model?: string;
  /** A whole message of the answer. */
  answer?: string;
  /** A piece of a message. */
  piece?: string;
  /** The name of a tool that ran. */
  tool?: string;
  /** The name of a tool that was denied. */
  denied?: string;
  /** The name of an MCP server that failed. */
  server_failed?: string;
  warning?: string;
  /** An error that need not end the call. */
  error?: string;
  /** Announces a retry, with its cause. */
  retry?: string;
  /** The end, without success. */
  failure?: string;
  status?: string;
  code?: string;
  /** Other details from the service. */
  details?: string;
  tokens?: Readonly<Partial<Record<'input' | 'cached' | 'output' | 'total', string>>>;
  /** These counts are added to the earlier ones; otherwise they are totals. */
  adds?: true;
  requests?: string;
  usd?: string;
  /** A request to the model. */
  requested?: true;
  /** The end, with success. */
  completed?: true;
}
