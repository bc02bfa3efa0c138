// Plays a client of `tollgate mcp` with the protocol's own SDK, in a rig's project.

import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv, type ValidateFunction } from 'ajv';
import type { TestRig } from './test-rig.ts';

interface McpAnswer {
  isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: each tool returns a different object, and a test reads what it requested.
  object: any;
  text: string;
}

export interface McpClient {
  client: Client;
  pid: number;
  /** Calls a tool; `how` goes to the SDK. */
  ask(tool: string, given?: Record<string, unknown>, how?: object): Promise<McpAnswer>;
  close(): Promise<void>;
}

const SERVER = path.resolve(import.meta.dirname, '../../dist/tollgate.cjs');

export async function openMcp(
  rig: TestRig,
  flags: string[] = [],
  env: Record<string, string> = {},
): Promise<McpClient> {
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [SERVER, 'mcp', ...flags] },
    ...{ cwd: rig.project, env: { ...rig.env, ...env }, stderr: 'ignore' },
  });
  const client = new Client({ name: 'a-test', version: '1' });
  await client.connect(transport, { timeout: 60_000 });
  const gives = await promisesOf(client);
  return {
    client,
    pid: transport.pid!,
    async ask(name, given = {}, how = {}) {
      const said = await client.callTool({ name, arguments: given }, { timeout: 100_000, ...how });
      const isGiven = gives.get(name)!;
      if (said.structuredContent !== undefined && !isGiven(said.structuredContent))
        throw new Error(`${name} gave what it does not promise: ${JSON.stringify(isGiven.errors)}`);
      const [first] = said.content as { text: string }[];
      return { isError: said.isError === true, object: said.structuredContent, text: first?.text ?? '' };
    },
    close: () => client.close(),
  };
}

/** Some clients, such as gemini, check an error result against them as well; this SDK does not. */
async function promisesOf(client: Client): Promise<Map<string, ValidateFunction>> {
  const { tools } = await client.listTools();
  const ajv = new Ajv({ strict: false });
  return new Map(tools.map(({ name, outputSchema }) => [name, ajv.compile(outputSchema as object)]));
}
