// The codex CLI.

import { COMMANDS } from '../../policies/facts/tools.ts';
import { gitFolders } from '../../state/disk/git-place.ts';
import type { Adapter, CallRequest } from '../adapter.ts';
import { COMMIT, commitPermission, mayCommit } from '../own-flags.ts';
import { readEvent, readStderr } from './events.ts';
import { FEATURES } from './features.ts';
import { missingServer, overlay as readOverlay } from './overlay.ts';
import { type CodexOwn, OWN_FLAGS } from './own-flags.ts';
import { readCodexSignIn } from './sign-in.ts';
import { refusesFolder } from './trust.ts';

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
    // Read-only otherwise, within the working folder too. `exec resume` takes it before its own name alone.
    ...(mayCommit(request) ? gitFolders(request.cwd).flatMap((folder) => ['--add-dir', folder]) : []),
    ...(request.resumeSession === null ? [] : ['resume']),
    '--json',
    ...(request.trustWorkspace ? ['--skip-git-repo-check'] : []),
    ...(request.model === null ? [] : ['--model', request.model]),
    // `exec resume` knows no --sandbox, so both forms say it as a setting.
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
  allows: (denial, request) => {
    const commit = commitPermission(denial, request);
    if (commit) return commit;
    const { access, own } = request;
    // The stream may leave a short command out: then its log alone reports it, without its words.
    if (denial.rule === null && access === 'write' && own[COMMIT] !== true)
      return { flag: 'access', value: 'full', orForCommit: COMMIT };
    const value = MORE[access];
    return value === null ? null : { flag: 'access', value };
  },
  usageFile: null,
  usageCounts: 'session',
  sessionId: 'announced',
  sessions: async () => (await import('./sessions/store.ts')).CODEX_SESSIONS,
  route: async () => (await import('./route.ts')).route,
  refusedInput: () => false,
  failureReport: null,
  asksAgain: 'after a wait',
  lingerMs: 5000,
} as const satisfies Adapter;

/** The stream reports neither a server that failed nor a command that the sandbox stopped; its log does, at the level `warn`. */
const LACKS_LOGGED = 'codex_mcp::rmcp_client=warn,codex_sandboxing::violation=warn';

const MORE = { read: 'write', write: 'full', full: null } as const satisfies Record<
  CallRequest['access'],
  string | null
>;

const SANDBOX = { read: 'read-only', write: 'workspace-write', full: 'danger-full-access' } as const satisfies Record<
  CallRequest['access'],
  string
>;
