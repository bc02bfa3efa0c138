// Defines a tool of the server: what it takes and gives, as JSON Schema, and what it does. No field leads out of the project.

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

interface ObjectSchema {
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
  exclusiveMinimum?: number;
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
  /** The database of the fleet that tools may read; null for none. */
  database: string | null;
}

/** What a called agent may do; each value allows more than those before it. */
export const ACCESS = ['read', 'write', 'full'] as const satisfies readonly Access[];

export interface ToolResult {
  how: 'done' | 'failed';
  object: Record<string, unknown>;
}

/** An id, never a path. It cannot begin with a dash, because it would be a flag. */
export const TASK: FieldSchema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$',
  description: 'the id of a task of this project',
};

export const SESSION: FieldSchema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$',
  description: 'a session: its id, at least the first 7 digits of it, or its tag',
};

/** @param required the other properties may be omitted. */
export const taking = (properties: Record<string, FieldSchema>, ...required: string[]): ObjectSchema => ({
  ...{ type: 'object', properties, required },
  additionalProperties: false,
});

/** What a success contains, and maybe more. Nothing is required, as gemini checks error results against it too. */
export const giving = (properties: Record<string, FieldSchema>): ObjectSchema => ({
  ...{ type: 'object', properties, required: [] },
  additionalProperties: true,
});

export const WORD: FieldSchema = { type: 'string' };

export const WORD_OR_NONE: FieldSchema = { type: ['string', 'null'] };

export const COUNT: FieldSchema = { type: 'integer' };

export const LIST: FieldSchema = { type: 'array' };

export const OBJECT: FieldSchema = { type: 'object' };

export const WAIT: FieldSchema = {
  ...{ type: 'integer', minimum: 0, maximum: 45_000 },
  description: 'wait at most this many ms for the end before answering with state "running"; default: 30000',
};

/** More than any call costs. */
export const DOLLARS: FieldSchema = { type: 'number', exclusiveMinimum: 0, maximum: 1_000_000 };

/** What a tool that begins a run gives. */
export const GIVES = giving({
  ...{ run_id: WORD, state: WORD },
  warnings: {
    ...{ type: 'array', items: WORD },
    description: 'of ask or a task: what the answer lacks, such as a denied tool or a failed MCP server',
  },
});
