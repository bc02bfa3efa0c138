// Defines the adapter of the codex CLI.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { COMMANDS } from '../../policies/facts/tools.ts';
import { partOf } from '../../policies/text/json.ts';
import { gitFolders } from '../../state/disk/git-place.ts';
import type { Adapter, CallRequest, FolderRequest } from '../adapter.ts';
import type { Feature } from '../feature.ts';
import { ALLOW_COMMIT, COMMIT, commitPermission, mayCommit, type OwnFlag, type OwnOf } from '../own-flags.ts';
import { storeOf } from '../sessions/store-of.ts';
import { COMMAND, readEvent, readStderr, USAGE_LOG } from './events.ts';
import { missingServer, overlay as readOverlay } from './overlay.ts';
import { route } from './route.ts';
import { readCodexSignIn } from './sign-in.ts';

/** Predicts whether codex starts: outside a git repository it refuses, whatever its config.toml trusts (0.169.0). */
const refusesFolder = ({ trustWorkspace, cwd }: FolderRequest): string | null =>
  trustWorkspace || isInRepository(cwd) ? null : `codex refuses to start in ${cwd}, which is in no git repository`;

const isInRepository = (folder: string): boolean =>
  existsSync(path.join(folder, '.git')) || (folder !== path.dirname(folder) && isInRepository(path.dirname(folder)));

const OWN_FLAGS = {
  ...ALLOW_COMMIT,
  effort: { takes: 'choice', choices: ['low', 'medium', 'high', 'xhigh'], about: 'how hard the model thinks' },
} as const satisfies Record<string, OwnFlag>;

type CodexOwn = OwnOf<typeof OWN_FLAGS>;

/** The features that the codex row relies on. Measured from 0.137.0 on (npm run bench:matrix -- --versions). */
const FEATURES = [
  { kind: 'flag', name: '--json', since: null, without: null },
  { kind: 'flag', name: '--skip-git-repo-check', since: null, without: null },
  { kind: 'flag', name: '--model', since: null, without: null },
  { kind: 'flag', name: '-c', since: null, without: null },
  { kind: 'flag', name: '--output-schema', since: null, without: 'the answer may not be JSON' },
  { kind: 'flag', name: '--add-dir', since: null, without: 'it cannot commit with `--access write`' },
  { kind: 'setting', name: 'sandbox_mode', since: null, without: null },
  { kind: 'setting', name: 'approval_policy', since: null, without: null },
  { kind: 'setting', name: 'check_for_update_on_startup', since: null, without: 'it may look for an update' },
  { kind: 'setting', name: 'model_reasoning_effort', since: null, without: null },
  { kind: 'setting', name: 'model_provider', since: null, without: null },
  { kind: 'setting', name: 'model_providers.*.name', since: null, without: null },
  { kind: 'setting', name: 'model_providers.*.base_url', since: null, without: null },
  { kind: 'setting', name: 'model_providers.*.wire_api', since: null, without: null },
  { kind: 'setting', name: 'model_providers.*.requires_openai_auth', since: null, without: null },
  { kind: 'setting', name: 'model_providers.*.request_max_retries', since: null, without: null },
  { kind: 'setting', name: 'model_providers.*.stream_max_retries', since: null, without: null },
  { kind: 'setting', name: 'mcp_servers.*.required', since: null, without: null },
  { kind: 'setting', name: 'projects', since: null, without: 'it does not use the settings of a trusted folder' },
  { kind: 'variable', name: 'NO_COLOR', since: null, without: 'colours may stand in its words' },
  {
    kind: 'variable',
    name: 'RUST_LOG',
    since: null,
    without: 'an MCP server that failed, and a command that the sandbox stopped, are not reported',
  },
  { kind: 'event', name: 'thread.started', since: null, without: null },
  { kind: 'event', name: 'turn.started', since: null, without: null },
  { kind: 'event', name: 'item.started', since: null, without: null },
  { kind: 'event', name: 'item.completed', since: null, without: null },
  { kind: 'event', name: 'turn.completed', since: null, without: null },
  { kind: 'event', name: 'error', since: null, without: null },
  { kind: 'event', name: 'turn.failed', since: null, without: null },
] as const satisfies readonly Feature[];

/** OpenAI's service accepts only schemas in which each object lists its properties, requires them all, and allows no others. */
function isStrict(schema: Readonly<Record<string, unknown>>): boolean {
  if (schema.type !== 'object') return false;
  const isClosed = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.every(isClosed);
    const part = partOf(value);
    if (part === null) return true;
    const properties = partOf(part.properties);
    const required = Array.isArray(part.required) ? part.required : [];
    const names = Object.keys(properties ?? {});
    if (
      part.type === 'object' &&
      (part.additionalProperties !== false || names.some((name) => !required.includes(name)))
    )
      return false;
    return Object.values(part).every(isClosed);
  };
  return isClosed(schema);
}

export const CODEX = {
  tool: 'codex',
  command: COMMANDS.codex,
  binary: 'codex',
  packageName: '@openai/codex',
  features: FEATURES,
  defaultTimeoutMs: 600_000,
  own: OWN_FLAGS,
  argv: (request, overlay, own: CodexOwn = request.own) => [
    'exec',
    // Otherwise read-only, within the working folder too. `exec resume` accepts it only before its own name.
    ...(mayCommit(request) ? gitFolders(request.cwd).flatMap((folder) => ['--add-dir', folder]) : []),
    ...(request.resumeSession === null ? [] : ['resume']),
    '--json',
    ...(request.trustWorkspace ? ['--skip-git-repo-check'] : []),
    ...(request.model === null ? [] : ['--model', request.model]),
    // `exec resume` has no --sandbox, so both forms pass it as a setting.
    '-c',
    `sandbox_mode="${SANDBOX[request.access]}"`,
    '-c',
    'approval_policy="never"',
    '-c',
    'check_for_update_on_startup=false',
    ...(own.effort === undefined ? [] : ['-c', `model_reasoning_effort="${own.effort}"`]),
    ...overlay,
    ...(request.resumeSession === null ? [] : [request.resumeSession]),
    '-',
  ],
  environment: ({ environment: { RUST_LOG } }) => ({
    NO_COLOR: '1',
    RUST_LOG: `${RUST_LOG || 'error'},${LACKS_LOGGED}`,
  }),
  overlay: readOverlay,
  distrusts: () => null,
  refusesFolder,
  signIn: readCodexSignIn,
  entries: ['codex.js'],
  prompt: { via: 'stdin', escape: (text) => text, limit: { unit: 'characters', max: 1_048_576 } },
  readEvent,
  readDocument: () => null,
  readStderr,
  log: null,
  missingServer,
  // It refuses to start with a file that is not TOML.
  ignores: () => [],
  allows: (denial, request) => {
    const commit = commitPermission(denial, request);
    if (commit) return commit;
    const { access, own } = request;
    // Only full access approves an MCP tool that changes something. Its name has the server's.
    if (denial.tool.includes('.')) return access === 'full' ? null : { flag: 'access', value: 'full' };
    // The stream may omit a short command. Then only its log reports it, without its words.
    if (denial.tool === COMMAND && denial.rule === null && access === 'write' && own[COMMIT] !== true)
      return { flag: 'access', value: 'full', orForCommit: COMMIT };
    const value = MORE[access];
    return value === null ? null : { flag: 'access', value };
  },
  usageFile: null,
  answerSchema: { takes: isStrict, argv: (_, file) => ['--output-schema', file], refusesItself: false },
  liveUsage: USAGE_LOG,
  endsAtUsd: false,
  usageCounts: 'session',
  sessionId: 'announced',
  sessions: () => storeOf('codex'),
  route: async () => route,
  refusedInput: () => false,
  failureReport: null,
  asksAgain: 'after a wait',
  lingerMs: 5000,
} as const satisfies Adapter;

/** The stream reports no failed server, and no tool that the sandbox stopped or that was refused; the log does. */
const LACKS_LOGGED = 'codex_mcp::rmcp_client=warn,codex_sandboxing::violation=warn,codex_core::tools::router=error';

const MORE = { read: 'write', write: 'full', full: null } as const satisfies Record<
  CallRequest['access'],
  string | null
>;

const SANDBOX = { read: 'read-only', write: 'workspace-write', full: 'danger-full-access' } as const satisfies Record<
  CallRequest['access'],
  string
>;
