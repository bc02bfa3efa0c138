// Lists the tools of the server.

import { CONVERSATIONS } from './conversations.ts';
import { RUNS } from './runs.ts';
import { STANDINGS } from './standings.ts';
import type { McpTool } from './tool.ts';

export const TOOLS: readonly McpTool[] = [...RUNS, ...STANDINGS, ...CONVERSATIONS];
