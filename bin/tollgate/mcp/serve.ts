// Runs the server with the official SDK (its only importer): a project's tools and resources, for one client on stdio.

import { fromJsonSchema, McpServer, ResourceTemplate, type ServerContext } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import manifest from '../../../package.json';
import { stopExit } from '../../../policies/facts/exit-codes.ts';
import { visible } from '../../../policies/text/display.ts';
import { printing } from '../../printing.ts';
import { answerTo, resultOf } from './answer.ts';
import { CONVERSATIONS } from './conversations.ts';
import { createLineGuard, MAX_MESSAGE_BYTES } from './line-guard.ts';
import { RESOURCES } from './resources.ts';
import { RUNS } from './runs.ts';
import { STANDINGS } from './standings.ts';
import type { McpTool, ServerSettings, ToolCaller } from './tool.ts';

/** Serves until the client closes stdin, or `stop` aborts. @returns the exit code. */
export function serve(stop: AbortSignal, settings: ServerSettings): Promise<number> {
  const gone = new AbortController();
  const out = printing('stdout');
  const lines = createLineGuard(out);
  const transport = new StdioServerTransport(process.stdin.pipe(lines), out, { maxBufferSize: 2 * MAX_MESSAGE_BYTES });
  return new Promise((resolve) => {
    const end = (exit: number) => {
      // Pending waits would keep the process alive. Nothing is lost by their end, because paid runs work in other processes.
      gone.abort();
      process.stdin.unpipe(lines).destroy();
      resolve(exit);
    };
    const handle = serveStdio(() => made(settings, gone.signal), { transport });
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      end(stop.aborted ? stopExit(stop) : 0);
    };
    stop.addEventListener('abort', () => void handle.close(), { once: true });
  });
}

function made(settings: ServerSettings, gone: AbortSignal): McpServer {
  const server = new McpServer({ name: 'tollgate', version: manifest.version }, { instructions: INSTRUCTIONS });
  for (const tool of TOOLS) {
    const { name, title, about, takes, gives, changes, callsModel = false } = tool;
    const config = {
      ...{ title, description: about, inputSchema: fromJsonSchema<Record<string, unknown>>(takes) },
      outputSchema: fromJsonSchema(gives),
      annotations: { readOnlyHint: changes === 'nothing', destructiveHint: false, openWorldHint: callsModel },
    };
    server.registerTool(name, config, async (given, { mcpReq }) => {
      const signal = AbortSignal.any([mcpReq.signal, gone]);
      return resultOf(await answerTo(tool, given, { signal, tell: reporterOf(mcpReq), server: settings }));
    });
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

/** Reports progress only to a client that gave a token for it. */
function reporterOf({ _meta, notify }: ServerContext['mcpReq']): ToolCaller['tell'] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return null;
  return (progress, message) => {
    const params = { progressToken, progress, message: visible(message) };
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

const INSTRUCTIONS = [
  'Tollgate calls the agent CLIs gemini, copilot, codex and claude as tasks with budgets, gates and retries.',
  'An answer with state "running" has a run_id: call wait with it, and nothing is paid twice.',
  'An error result has class, reason and next_actions: do the first of them, and do not repeat a call that it does not name.',
].join(' ');

/** Lists the tools of the server. */
const TOOLS: readonly McpTool[] = [...RUNS, ...STANDINGS, ...CONVERSATIONS];
