// Defines the adapter of the copilot CLI.

import path from 'node:path';
import type { ReportedUsage } from '../../policies/facts/engine-event.ts';
import type { Denial } from '../../policies/facts/requirements.ts';
import { noHooks } from '../../policies/facts/requirements.ts';
import { COMMANDS } from '../../policies/facts/tools.ts';
import {
  type Json,
  numberOf,
  parseObject,
  partOf,
  withoutComments,
  withoutTrailingCommas,
} from '../../policies/text/json.ts';
import { entriesIfAny } from '../../state/disk/folder.ts';
import { readFollowedIfFit } from '../../state/disk/regular-file.ts';
import {
  type Adapter,
  type CallRequest,
  type FolderRequest,
  type Ignored,
  NO_OVERLAY,
  type Overlay,
  type Permission,
} from '../adapter.ts';
import { ALLOW_COMMIT, COMMIT, type OwnFlag, type OwnOf } from '../own-flags.ts';
import { storeOf } from '../sessions/store-of.ts';
import { unstartableServers } from '../startable.ts';
import { readEvent, USAGE_LOG } from './events.ts';
import { FEATURES } from './features.ts';
import { route } from './route.ts';
import { copilotFolder, readCopilotSignIn } from './sign-in.ts';

/** Sums over the called models; empty if it is no usage file. The event stream reports this call's requests. */
function readUsage(text: string): ReportedUsage {
  const metrics = partOf(parseObject(text)?.modelMetrics);
  if (metrics === null || metrics === undefined) return {};
  const models = Object.values(metrics).map(partOf);
  const sum = (group: string, field: string) =>
    models.reduce((total, model) => total + (numberOf(partOf(model?.[group])?.[field]) ?? 0), 0);
  const input = sum('usage', 'inputTokens');
  const output = sum('usage', 'outputTokens');
  return {
    input_tokens: input,
    cached_tokens: sum('usage', 'cacheReadTokens'),
    output_tokens: output,
    total_tokens: input + output,
  };
}

/** Only the user's own files: those of a folder count only where copilot trusts it. Its hooks may deny tools. */
function ignores({ environment }: FolderRequest): Ignored[] {
  const folder = copilotFolder(environment);
  if (folder === null) return [];
  const hooks = entriesIfAny(path.join(folder, 'hooks')).filter(({ name }) => name.endsWith('.json'));
  const settings = [path.join(folder, 'settings.json'), ...hooks.map(({ name }) => path.join(folder, 'hooks', name))];
  const isBroken = (file: string) => textIn(file) !== '' && objectIn(textIn(file)) === null;
  const why = 'is not a JSON object';
  const file = path.join(folder, 'mcp-config.json');
  return [
    ...settings.filter(isBroken).map((one): Ignored => ({ what: 'settings', file: one, why })),
    ...(isBroken(file)
      ? [{ what: 'servers', file, why } as const]
      : unstartableServers(objectIn(textIn(file))?.mcpServers, ['command', 'url'], file)),
  ];
}

const textIn = (file: string): string =>
  readFollowedIfFit(file, MAX_SERVERS_BYTES)
    ?.replace(/^\ufeff/, '')
    .trim() ?? '';

const objectIn = (text: string): Json | null => parseObject(withoutTrailingCommas(withoutComments(text)).trim());

const MAX_SERVERS_BYTES = 4 * 1024 * 1024;

const trustsFolder = ({ trustWorkspace, access }: CallRequest): boolean => trustWorkspace && access !== 'read';

/**
 * With read access the trusted folder's servers are passed alone: what trusts a folder also allows all tools.
 * The CLI has no switch for its inner retries (5 more requests). It announces each a second or more before it sends it.
 */
function overlay(request: CallRequest): Overlay {
  if (!request.trustWorkspace || trustsFolder(request)) return NO_OVERLAY;
  const servers = path.join(request.cwd, '.mcp.json');
  const hooks = path.join(request.cwd, '.github/hooks');
  return {
    ...NO_OVERLAY,
    argv: objectIn(textIn(servers)) !== null ? [`--additional-mcp-config=@${servers}`] : [],
    warnings: entriesIfAny(hooks).some(({ name }) => name.endsWith('.json')) ? [noHooks(hooks)] : [],
  };
}

const OWN_FLAGS = {
  ...ALLOW_COMMIT,
  'allow-tool': { takes: 'texts', about: 'a tool the agent may use without asking (repeatable)' },
  'deny-tool': { takes: 'texts', about: 'a tool the agent may not use (repeatable)' },
} as const satisfies Record<string, OwnFlag>;

type CopilotOwn = OwnOf<typeof OWN_FLAGS>;

/** In latin1, to keep the encoding. To the CLI a zero-width space is no white space, and readers do not see it. */
function escapePrompt(text: string): string {
  const head = Buffer.from(text.slice(0, HEAD), 'latin1').toString('utf8').trimStart();
  return head === '' || head.startsWith('/') ? `${ZERO_WIDTH_SPACE}${text}` : text;
}

/** White space of this length may be followed by a slash. */
const HEAD = 4096;

const ZERO_WIDTH_SPACE = Buffer.from('\u200b').toString('latin1');

export const COPILOT = {
  tool: 'copilot',
  command: COMMANDS.copilot,
  binary: 'copilot',
  packageName: '@github/copilot',
  features: FEATURES,
  defaultTimeoutMs: 300_000,
  own: OWN_FLAGS,
  argv: (request, overlay, own: CopilotOwn = request.own) => [
    '--output-format',
    'json',
    ...(request.model === null ? [] : ['--model', request.model]),
    '--no-ask-user',
    '--no-auto-update',
    '--no-color',
    ...ACCESS[request.access],
    ...(own['allow-tool'] ?? []).map((tool) => `--allow-tool=${tool}`),
    ...(own['deny-tool'] ?? []).map((tool) => `--deny-tool=${tool}`),
    ...overlay,
    // Without it a resumed session works in its previous folder, wherever it is resumed.
    ...(request.resumeSession === null
      ? [`--session-id=${request.newSession}`]
      : ['-C', request.cwd, `--resume=${request.resumeSession}`]),
  ],
  environment: (request) => ({
    NO_COLOR: '1',
    COPILOT_AUTO_UPDATE: 'false',
    // It allows all tools, and alone also trusts the folder in a resumed session. The user's own would loosen read access.
    // Older versions take any text for a yes, also none.
    COPILOT_ALLOW_ALL: trustsFolder(request) ? 'true' : undefined,
  }),
  overlay,
  distrusts: () => null,
  refusesFolder: () => null,
  signIn: readCopilotSignIn,
  entries: ['npm-loader.js', 'index.js'],
  prompt: { via: 'stdin', escape: escapePrompt, limit: null },
  readEvent,
  readDocument: () => null,
  readStderr: null,
  log: null,
  // The CLI names its servers before its first request.
  missingServer: () => null,
  ignores,
  allows,
  usageFile: { argument: (file) => `--usage-output-file=${file}`, read: readUsage },
  answerSchema: null,
  liveUsage: USAGE_LOG,
  endsAtUsd: false,
  usageCounts: 'session',
  sessionId: 'chosen',
  sessions: () => storeOf('copilot'),
  route: async () => route,
  // It compares the prompt's tokens with the model's budget before it sends a request.
  refusedInput: (ended) => ended.class === 'prompt_too_large' && !ended.requests,
  failureReport: null,
  asksAgain: 'after a wait',
  lingerMs: 5000,
} as const satisfies Adapter;

/** A rule that denies overrides all that allow. A path outside the folder needs more than the tool. */
function allows(denial: Denial, request: CallRequest): Permission | null {
  const { tool, rule } = denial;
  const { access, own } = request;
  // With `write` it may run git, so none of our rules stopped that.
  if (rule === COMMIT) return access === 'read' ? { flag: 'access', value: 'write' } : null;
  const allowed = rule ?? KINDS[tool] ?? tool;
  const kind = allowed.split('(')[0]!;
  const { 'allow-tool': given = [], 'deny-tool': refused = [] } = own as CopilotOwn;
  const denying = refused.find((one) => one.split('(')[0] === kind);
  if (denying !== undefined) return { flag: 'deny-tool', value: denying };
  if (access === 'full') return null;
  // Within the folder these need no permission, and a tool that is allowed already was denied for its path.
  const isOutside = READS.has(tool) || given.includes(allowed) || given.includes(kind);
  if (access === 'write' || isOutside) return { flag: 'access', value: 'full' };
  return kind === 'write' ? { flag: 'access', value: 'write' } : { flag: 'allow-tool', value: allowed };
}

const READS: ReadonlySet<string> = new Set(['view', 'glob', 'grep', 'rg', 'show_file']);

/** The name of each tool's permission. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ bash: 'shell', write_bash: 'shell', powershell: 'shell' },
  ...{ create: 'write', edit: 'write', str_replace_editor: 'write', apply_patch: 'write' },
  ...{ web_fetch: 'url', fetch: 'url' },
};

/** Without a permission the CLI itself allows commands that only read. Paths outside the folder need a separate flag. */
const ACCESS = {
  read: [],
  write: ['--allow-all-tools'],
  full: ['--allow-all-tools', '--allow-all-paths'],
} as const satisfies Record<CallRequest['access'], readonly string[]>;
