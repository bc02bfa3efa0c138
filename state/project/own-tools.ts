// Prepares the CLIs that a project describes for calls: names filled in, paths from the project's root.

import path from 'node:path';
import type { OwnTool } from '../../policies/facts/tools.ts';
import type { OwnEvent, OwnToolRow } from '../../policies/rules/description.ts';
import type { GivenTool } from './own-tool-schema.ts';

export const ownToolRows = (given: Readonly<Record<string, GivenTool>>, root: string): Record<string, OwnToolRow> =>
  Object.fromEntries(Object.entries(given).map(([name, tool]) => [name, rowOf(name as OwnTool, tool, root)]));

const rowOf = (name: OwnTool, tool: GivenTool, root: string): OwnToolRow => ({
  name,
  binary: tool.binary.includes('/') ? path.resolve(root, tool.binary) : tool.binary,
  argv: tool.argv,
  environment: tool.environment,
  prompt: tool.prompt,
  maxPromptBytes: tool.max_prompt_bytes ?? null,
  output: tool.output,
  events: (tool.document === undefined ? (tool.events ?? []) : [{ when: {}, ...tool.document }]) as OwnEvent[],
  successExits: tool.success_exits,
  access: (tool.access as OwnToolRow['access']) ?? null,
  retries: tool.retries,
  version: tool.version ?? null,
  packageName: tool.package ?? null,
  timeoutMs: tool.timeout_ms,
  exits: {
    timeout: tool.exits.timeout,
    failure: tool.exits.failure,
    missingBinary: tool.exits.missing_binary,
    badInput: tool.exits.bad_input,
  },
});
