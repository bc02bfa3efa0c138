// Settings of one call of codex: no inner retries, required servers, and trust of the project.

import path from 'node:path';
import { projectFolders } from '../../state/disk/git-place.ts';
import { readFollowedIfFit } from '../../state/disk/regular-file.ts';
import { type CallRequest, NO_OVERLAY, type Overlay } from '../adapter.ts';
import { homeOf } from '../home.ts';

/** codex refuses settings for its built-in providers, so a call with an API key gets its own provider. */
export const OWN = 'tollgate';

type Provider =
  /** The user's provider; `baseUrl` is null if it is not known. */
  | { how: 'own'; name: string; baseUrl: string | null; webSockets: boolean }
  /** The built-in one, with a key. */
  | { how: 'key'; baseUrl: string }
  /** A built-in one that accepts no settings. */
  | { how: 'fixed' };

export function overlay(request: CallRequest): Overlay {
  const { argv, ...rest } = withoutRetries(request);
  return { ...rest, argv: [...argv, ...requiredServers(request), ...(request.trustWorkspace ? trust(request) : [])] };
}

/** Only in a trusted project does codex use the settings, hooks and servers of its `.codex`. This saves no trust. */
function trust({ cwd }: CallRequest): string[] {
  const rows = projectFolders(cwd).map((folder) => `${JSON.stringify(folder)}={trust_level="trusted"}`);
  return ['-c', `projects={${rows.join(',')}}`];
}

/** With these, the CLI itself refuses to start without the servers, before it calls the model. */
function requiredServers(request: CallRequest): string[] {
  const { servers = [] } = request.requires ?? {};
  const names = servers === 'all' ? serversIn(configOf(request)) : servers;
  return names.filter((name) => PLAIN_NAME.test(name)).flatMap((name) => ['-c', `mcp_servers.${name}.required=true`]);
}

const PLAIN_NAME = /^[\w-]+$/;

/** Does not see a server that only a plugin or an administrator adds. */
export function missingServer(request: CallRequest): string | null {
  const { servers = [] } = request.requires ?? {};
  if (servers === 'all') return null;
  const config = configOf(request);
  const missing = servers.find((name) => !serversIn(config).includes(name));
  if (missing === undefined) return null;
  if (serversIn(projectConfigs(request)).includes(missing))
    return `required MCP server "${missing}" is in .codex/config.toml of the project, which codex does not use, since its folder is not trusted; if you trust it, add --trust-workspace`;
  const home = path.join(codexHome(request), 'config.toml');
  return `required MCP server "${missing}" is not configured: no [mcp_servers.${missing}] is in ${home} or in .codex/config.toml of the project`;
}

const userConfig = (request: CallRequest): string => readText(path.join(codexHome(request), 'config.toml'));

/** The configuration of the user, and of the project if codex uses it. */
function configOf(request: CallRequest): string[] {
  const own = userConfig(request);
  return isTrusted(request, own) ? [own, ...projectConfigs(request)] : [own];
}

const projectConfigs = ({ cwd }: CallRequest): string[] =>
  projectFolders(cwd).map((folder) => readText(path.join(folder, '.codex/config.toml')));

function isTrusted({ trustWorkspace, cwd }: CallRequest, config: string): boolean {
  const tables = trustWorkspace ? null : readTables(config);
  return tables === null || projectFolders(cwd).some((one) => tables.get(`projects.${one}`)?.trust_level === 'trusted');
}

/** Finds servers in a separate table, a dotted key, or a key of one inline table. */
function serversIn(configs: readonly string[]): string[] {
  const names = configs.flatMap((toml) => [
    ...[
      ...toml.matchAll(
        /^[ \t]*\[?[ \t]*mcp_servers[ \t]*\.[ \t]*(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'|([\w-]{1,200}))/gm,
      ),
    ],
    ...[...toml.matchAll(/^[ \t]*mcp_servers[ \t]*=[ \t]*\{([^\n]*)/gm)].flatMap(([, inline]) => [
      ...inline!.matchAll(/(?:^|[{,])[ \t]*(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'|([\w-]{1,200}))[ \t]*=[ \t]*\{/g),
    ]),
  ]);
  return [...new Set(names.map(([, quoted, single, bare]) => quoted ?? single ?? bare!))];
}

function withoutRetries(request: CallRequest): Overlay {
  if (request.innerRetries === 'allow') return NO_OVERLAY;
  const provider = providerOf(request);
  if (provider.how === 'own') return { ...NO_OVERLAY, argv: noRetries(provider.name) };
  if (provider.how === 'fixed') return { ...NO_OVERLAY, warnings: [ANNOUNCED] };
  const { baseUrl } = provider;
  const settings = {
    name: 'OpenAI',
    base_url: baseUrl,
    wire_api: 'responses',
    requires_openai_auth: true,
  };
  const argv = Object.entries(settings).flatMap(([key, value]) => [
    '-c',
    `model_providers.${OWN}.${key}=${JSON.stringify(value)}`,
  ]);
  return { ...NO_OVERLAY, argv: ['-c', `model_provider="${OWN}"`, ...argv, ...noRetries(OWN)] };
}

/** The provider that the call would use, by the user's configuration. */
export function providerOf(request: CallRequest): Provider {
  const home = codexHome(request);
  const toml = userConfig(request);
  const config = readTopLevel(toml);
  const name = config.model_provider ?? 'openai';
  if (!BUILT_IN.has(name)) {
    const table = readTables(toml).get(`model_providers.${name}`);
    return { how: 'own', name, baseUrl: table?.base_url ?? null, webSockets: WEB_SOCKETS.test(toml) };
  }
  if (name !== 'openai' || !usesKey(request, home)) return { how: 'fixed' };
  const baseUrl = request.environment.OPENAI_BASE_URL ?? config.openai_base_url ?? 'https://api.openai.com/v1';
  return { how: 'key', baseUrl };
}

export const codexHome = ({ environment, cwd }: CallRequest): string =>
  environment.CODEX_HOME ?? path.join(homeOf(environment) ?? cwd, '.codex');

/** Not a string, so the tables parsed here do not contain it. */
const WEB_SOCKETS = /^[ \t]*supports_websockets[ \t]*=[ \t]*true/m;

const ANNOUNCED =
  "codex's inner retries cannot be turned off for this sign-in (its built-in provider takes no settings); announced retries are cut instead";

const BUILT_IN: ReadonlySet<string> = new Set(['openai', 'oss', 'ollama', 'lmstudio', 'amazon-bedrock']);

const noRetries = (provider: string) =>
  ['request_max_retries', 'stream_max_retries'].flatMap((key) => ['-c', `model_providers.${provider}.${key}=0`]);

function usesKey(request: CallRequest, home: string): boolean {
  if (request.environment.CODEX_API_KEY) return true;
  try {
    const auth = JSON.parse(readText(path.join(home, 'auth.json'))) as Record<string, unknown>;
    return typeof auth.OPENAI_API_KEY === 'string' && !auth.tokens;
  } catch {
    return false;
  }
}

/** Empty if there is no file, or none that we may read. */
const readText = (file: string): string => readFollowedIfFit(file, MAX_BYTES) ?? '';

const MAX_BYTES = 4 * 1024 * 1024;

/** The plain strings above the first table of a TOML file; those of the active profile override them. */
export function readTopLevel(toml: string): Record<string, string> {
  const tables = readTables(toml);
  const top = tables.get('') ?? {};
  return { ...top, ...(top.profile === undefined ? {} : tables.get(`profiles.${top.profile}`)) };
}

/** Tables by the names of their headers, without quotes. */
function readTables(toml: string): Map<string, Record<string, string>> {
  const tables = new Map<string, Record<string, string>>([['', {}]]);
  let table = '';
  for (const line of toml.split('\n')) {
    const header = /^\s*\[([^\]]+)\]/.exec(line);
    if (header) table = header[1]!.trim().replace(/["']/g, '');
    const pair = /^\s*([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(line);
    if (pair) tables.set(table, { ...tables.get(table), [pair[1]!]: pair[2] ?? pair[3] ?? '' });
  }
  return tables;
}
