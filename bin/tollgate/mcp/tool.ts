// What a tool of the server is: its name, what it takes and gives, and what it does.

import type { Access } from '../../../wrappers/adapter.ts';

export interface McpTool {
  name: string;
  title: string;
  about: string;
  takes: ObjectSchema;
  gives: ObjectSchema;
  changes: 'nothing' | 'something';
  /** Whether it may start a CLI that calls a model: what happens then is outside of this machine. */
  callsModel?: true;
  act(given: Record<string, unknown>, asked: AskedTool): Promise<ToolSaid>;
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

/** By whom, as far as it matters. */
export interface AskedTool {
  /** Aborts when the client waits no longer. */
  signal: AbortSignal;
  /** Says how far it is; null for a client that did not ask for it. */
  tell: ((seconds: number, message: string) => void) | null;
  server: ServerSettings;
}

/** What whoever registers the server allows. */
export interface ServerSettings {
  access: Access;
  /** At work at the same time. */
  maxRuns: number;
  trustWorkspace: boolean;
}

/** What an agent that is asked may do, each more than those before. */
export const ACCESS = ['read', 'write', 'full'] as const satisfies readonly Access[];

export interface ToolSaid {
  how: 'done' | 'failed';
  object: Record<string, unknown>;
}
