// What a tool of the server is: its name, what it takes and gives, and what it does.

export interface McpTool {
  name: string;
  title: string;
  about: string;
  takes: ObjectSchema;
  gives: ObjectSchema;
  changes: 'nothing' | 'something';
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
interface AskedTool {
  /** Aborts when the client waits no longer. */
  signal: AbortSignal;
}

export interface ToolSaid {
  how: 'done' | 'failed';
  object: Record<string, unknown>;
}
