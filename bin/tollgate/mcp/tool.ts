// Defines a tool of the server: its name, what it takes and gives, and what it does.

import type { Access } from '../../../wrappers/adapter.ts';

export interface McpTool {
  name: string;
  title: string;
  about: string;
  takes: ObjectSchema;
  gives: ObjectSchema;
  changes: 'nothing' | 'something';
  /** Whether it may start a CLI that calls a model: the effects of that are outside of this machine. */
  callsModel?: true;
  act(given: Record<string, unknown>, caller: ToolCaller): Promise<ToolResult>;
}

/** A JSON Schema of an object. */
export interface ObjectSchema {
  type: 'object';
  properties: Record<string, FieldSchema>;
  required: string[];
  additionalProperties: boolean;
}

export interface FieldSchema {
  type?: string | string[];
  description?: string;
  pattern?: string;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  items?: FieldSchema;
  maxItems?: number;
}

/** What a tool needs to know about its caller. */
export interface ToolCaller {
  /** Aborts when the client no longer waits. */
  signal: AbortSignal;
  /** Reports progress; null for a client that did not request it. */
  tell: ((seconds: number, message: string) => void) | null;
  server: ServerSettings;
}

/** What the user who registers the server allows. */
export interface ServerSettings {
  access: Access;
  /** How many runs may be at work at the same time. */
  maxRuns: number;
  trustWorkspace: boolean;
}

/** What a called agent may do; each value allows more than those before it. */
export const ACCESS = ['read', 'write', 'full'] as const satisfies readonly Access[];

export interface ToolResult {
  how: 'done' | 'failed';
  object: Record<string, unknown>;
}
