// Declares a dialect of the model API: the form of a call on the wire, without any knowledge of scenarios.

import type { Rejection } from './rejections/rejection.ts';
import type { Saying, ToolCall } from './reply.ts';

export type Body = Record<string, unknown>;

export interface Dialect {
  /** The path of a model call, without its query. */
  path: RegExp;
  streams: (path: string, body: Body) => boolean;
  read: (body: Body) => Turn;
  /** The tool call with which this caller would run a shell command. */
  shell: (command: string, tools: string[]) => ToolCall;
  /** Server-sent events, each ready to be written. */
  stream: (saying: Saying, id: string) => string[];
  whole: (saying: Saying, id: string) => Body;
  failure: (code: string, message: string, id: string) => string[];
  rejection: (row: Rejection) => { status: number; body: Body };
  /** The real service's refusal of a conversation; null if the service accepts it. */
  refused: (body: Body) => string | null;
}

/** The tools that the caller offers, and what it has just sent. */
export interface Turn {
  tools: string[];
  afterTool: boolean;
  /** The caller demands JSON, as gemini's side calls do (routing, summaries). */
  wantsJson: boolean;
}
