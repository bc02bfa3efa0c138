// The server: the tools and resources of a project, by the official SDK (its only door), for one client on stdin and stdout.

import { fromJsonSchema, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import manifest from '../../../package.json';
import { stopExit } from '../../../policies/facts/stop.ts';
import { printing } from '../../printing.ts';
import { answerTo, resultOf } from './answer.ts';
import { createLineGuard, MAX_MESSAGE_BYTES } from './line-guard.ts';
import { RESOURCES } from './resources.ts';
import { TOOLS } from './tools.ts';

/** Until its client closes stdin, or `stop` aborts. @returns the exit code. */
export function serve(stop: AbortSignal): Promise<number> {
  const out = printing('stdout');
  const lines = createLineGuard(out);
  const transport = new StdioServerTransport(process.stdin.pipe(lines), out, { maxBufferSize: 2 * MAX_MESSAGE_BYTES });
  return new Promise((resolve) => {
    const end = (exit: number) => {
      // What is still asked for would keep the process; nothing of it is lost, for what is paid for works elsewhere.
      process.stdin.unpipe(lines).destroy();
      resolve(exit);
    };
    const handle = serveStdio(made, { transport });
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      end(stop.aborted ? stopExit(stop) : 0);
    };
    stop.addEventListener('abort', () => void handle.close(), { once: true });
  });
}

function made(): McpServer {
  const server = new McpServer({ name: 'tollgate', version: manifest.version }, { instructions: INSTRUCTIONS });
  for (const tool of TOOLS) {
    const { name, title, about, takes, gives, changes } = tool;
    const config = {
      ...{ title, description: about, inputSchema: fromJsonSchema<Record<string, unknown>>(takes) },
      outputSchema: fromJsonSchema(gives),
      annotations: { readOnlyHint: changes === 'nothing', destructiveHint: false, openWorldHint: false },
    };
    server.registerTool(name, config, async (given, { mcpReq }) =>
      resultOf(await answerTo(tool, given, mcpReq.signal)),
    );
  }
  for (const { name, uri, title, mimeType, list, read } of RESOURCES)
    server.registerResource(
      name,
      new ResourceTemplate(uri, {
        list: async () => ({
          resources: list().map((task) => ({
            uri: uri.replace('{task}', task),
            name: `${title} of ${task}`,
            mimeType,
          })),
        }),
      }),
      { title, mimeType },
      async ({ href }, { task }) => ({ contents: [{ uri: href, mimeType, text: read(String(task)) }] }),
    );
  return server;
}

const INSTRUCTIONS = [
  'Tollgate calls the agent CLIs gemini, copilot, codex and claude as tasks with budgets, gates and retries.',
  'An error result has class, reason and next_actions: do the first of them, and do not repeat a call that it does not name.',
].join(' ');
