// Turns claude's inner retries and side requests off through settings of this one call, which go before the environment and every file but an administrator's.

import path from 'node:path';
import { type Json, parseObject, partOf } from '../../policies/text/json.ts';
import type { CallRequest, Overlay } from '../adapter.ts';
import { noGuesses } from './betas.ts';
import { claudeHome, readMemory } from './home.ts';
import { readObject, readSettings } from './settings.ts';

export function overlay(request: CallRequest): Overlay {
  const { environment, cwd } = request;
  const env = {
    ...ALWAYS,
    ...(request.innerRetries === 'cut'
      ? {
          ...ONE_REQUEST,
          ...(request.own['json-schema'] === undefined ? {} : ONE_TRY),
          ...noGuesses(readSettings({ environment, cwd }), environment),
        }
      : {}),
    ...(requiresServers(request) ? SERVERS_FIRST : {}),
  };
  return {
    argv: ['--settings', JSON.stringify({ env }), ...(request.access === 'full' ? all(request) : [])],
    environment: {},
    folders: [],
    warnings: [],
  };
}

/** A project's own `env` would go before the environment, so none of these stands there. */
const ALWAYS = {
  // Flags and telemetry: no request to the model, but ten seconds of a shut network.
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  // `@path` in a prompt would be read and sent, secrets too.
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
  // A command over its time would go on behind the answer, which then says that it runs; so it is ended, and a subagent is waited for.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
};

const requiresServers = ({ requires }: CallRequest): boolean =>
  requires !== undefined && (requires.servers === 'all' || requires.servers.length > 0);

/** Otherwise it may make its first request while a server is still starting. */
const SERVERS_FIRST = { MCP_CONNECTION_NONBLOCKING: '0' };

/** What the CLI asks again by itself otherwise: up to ten times, without streaming, with another model. */
const ONE_REQUEST = {
  CLAUDE_CODE_MAX_RETRIES: '0',
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
  // Each alone makes other failures dearer.
  CLAUDE_CODE_DISABLE_REFUSAL_RETRY: '1',
  CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK: '1',
};

/** Of a structured answer that does not fit. Workflows heed it too, so it is not always there. */
const ONE_TRY = { MAX_STRUCTURED_OUTPUT_RETRIES: '1' };

/** Root is refused the bypass, unless it calls its machine a sandbox, which is not ours to say. */
const all = (request: CallRequest): string[] =>
  process.getuid?.() === 0
    ? ['--permission-mode', 'acceptEdits', `--allowedTools=${[...EVERYTHING, ...serverRules(request)].join(',')}`]
    : ['--permission-mode', 'bypassPermissions'];

/** What asks for a permission (2.1.330). */
const EVERYTHING = ['Bash', 'Edit', 'Write', 'NotebookEdit', 'Read', 'WebFetch', 'WebSearch', 'Skill'];

/** As a permission names all tools of one; a plugin's are not among them. */
export function serverRules({ environment, cwd }: Pick<CallRequest, 'environment' | 'cwd'>): string[] {
  const home = claudeHome(environment);
  const memory = home === null ? null : parseObject(readMemory(home) ?? '');
  const ofFolder = partOf(partOf(memory?.projects)?.[cwd]);
  const names = [memory, ofFolder, readObject(path.join(cwd, '.mcp.json'))].flatMap(namesIn);
  return [...new Set(names)].map((name) => `mcp__${name.replace(/[^a-zA-Z0-9_-]/g, '_')}`);
}

const namesIn = (settings: Json | null): string[] => Object.keys(partOf(settings?.mcpServers) ?? {});
