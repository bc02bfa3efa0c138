// Turns claude's inner retries and side requests off by settings of one call; only an administrator's settings override these.

import path from 'node:path';
import { type Json, listOf, parseObject, partOf, textOf } from '../../policies/text/json.ts';
import type { CallRequest, Overlay } from '../adapter.ts';
import { claudeHome, readMemory } from './home.ts';
import { noGuesses } from './route.ts';
import { OF_PROJECT, readObject, readSettings } from './settings.ts';

export function overlay(request: CallRequest): Overlay {
  const { environment, cwd } = request;
  const env = {
    ...ALWAYS,
    ...(request.innerRetries === 'cut'
      ? {
          ...ONE_REQUEST,
          ...(request.requires?.schema === undefined ? {} : ONE_TRY),
          ...noGuesses(readSettings({ environment, cwd }), environment),
        }
      : {}),
    ...(requiresServers(request) ? SERVERS_FIRST : {}),
  };
  const rules = request.trustWorkspace ? allowedIn(cwd) : [];
  const isTooLong = Buffer.byteLength(JSON.stringify(rules)) > MAX_RULE_BYTES;
  const settings = { env, ...(rules.length === 0 || isTooLong ? {} : { permissions: { allow: rules } }) };
  return {
    argv: ['--settings', JSON.stringify(settings), ...(request.access === 'full' ? all(request) : [])],
    environment: {},
    folders: [],
    warnings: isTooLong ? [RULES_LACK] : [],
  };
}

/** Linux starts no process with an argument of more than 128 KiB. */
const MAX_RULE_BYTES = 64 * 1024;

const RULES_LACK = `claude did not get this project's \`permissions.allow\`, which is longer than 64 KiB; shorten it in ${OF_PROJECT.join(' or ')}`;

/** What a project allows counts for claude only after a dialogue; its hooks and servers count without one. */
const allowedIn = (cwd: string): string[] =>
  OF_PROJECT.flatMap((name) =>
    listOf(partOf(readObject(path.join(cwd, name))?.permissions)?.allow).flatMap((rule) => textOf(rule) ?? []),
  );

/** A project's own `env` overrides the environment, so none of these is set there. */
const ALWAYS = {
  // Flags and telemetry: no request to the model, but ten seconds if the network is blocked.
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  // `@path` in a prompt would be read and sent, including secrets.
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
  // After its time limit, a command would continue in the background, and the answer would only say that it runs. So it is ended
  // instead, and claude waits for a subagent.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
};

const requiresServers = ({ requires }: CallRequest): boolean =>
  requires !== undefined && (requires.servers === 'all' || requires.servers.length > 0);

/** Otherwise claude may send its first request while a server is still starting. */
const SERVERS_FIRST = { MCP_CONNECTION_NONBLOCKING: '0' };

/** Stops the requests that the CLI would repeat by itself: up to ten times, without streaming, with another model. */
const ONE_REQUEST = {
  CLAUDE_CODE_MAX_RETRIES: '0',
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
  // Setting only one of them makes other failures more expensive.
  CLAUDE_CODE_DISABLE_REFUSAL_RETRY: '1',
  CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK: '1',
};

/** Limits the attempts for a structured answer that does not match. Workflows use it too, so it is not always set. */
const ONE_TRY = { MAX_STRUCTURED_OUTPUT_RETRIES: '1' };

/** claude refuses the bypass to root, unless root declares its machine a sandbox, which is not our decision. */
const all = (request: CallRequest): string[] =>
  process.getuid?.() === 0
    ? ['--permission-mode', 'acceptEdits', `--allowedTools=${[...EVERYTHING, ...serverRules(request)].join(',')}`]
    : ['--permission-mode', 'bypassPermissions'];

/** The tools that need a permission (2.1.330). */
const EVERYTHING = ['Bash', 'Edit', 'Write', 'NotebookEdit', 'Read', 'WebFetch', 'WebSearch', 'Skill'];

/** Names all tools of each server, as a permission does; a plugin's servers are not included. */
export function serverRules({ environment, cwd }: { environment: NodeJS.ProcessEnv; cwd: string }): string[] {
  const home = claudeHome(environment);
  const memory = home === null ? null : parseObject(readMemory(home) ?? '');
  const ofFolder = partOf(partOf(memory?.projects)?.[cwd]);
  const names = [memory, ofFolder, readObject(path.join(cwd, '.mcp.json'))].flatMap(namesIn);
  return [...new Set(names)].map((name) => `mcp__${name.replace(/[^a-zA-Z0-9_-]/g, '_')}`);
}

const namesIn = (settings: Json | null): string[] => Object.keys(partOf(settings?.mcpServers) ?? {});
