// The copilot CLI.

import type { Denial } from '../../policies/facts/requirements.ts';
import { COMMANDS } from '../../policies/facts/tools.ts';
import { type Adapter, type CallRequest, NO_OVERLAY, type Permission } from '../adapter.ts';
import { COMMIT } from '../own-flags.ts';
import { escapePrompt } from './escape.ts';
import { readEvent } from './events.ts';
import { FEATURES } from './features.ts';
import { type CopilotOwn, OWN_FLAGS } from './own-flags.ts';
import { readCopilotSignIn } from './sign-in.ts';
import { readUsage } from './usage.ts';

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
    // Without it a resumed session works in the folder that it worked in last, wherever it is resumed.
    ...(request.resumeSession === null
      ? [`--session-id=${request.newSession}`]
      : ['-C', request.cwd, `--resume=${request.resumeSession}`]),
  ],
  environment: () => ({ NO_COLOR: '1', COPILOT_AUTO_UPDATE: 'false' }),
  // The CLI has no switch for its inner retries (5 more requests); it announces each a second or more before it sends it.
  overlay: () => NO_OVERLAY,
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
  allows,
  usageFile: { argument: (file) => `--usage-output-file=${file}`, read: readUsage },
  usageCounts: 'session',
  sessionId: 'chosen',
  sessions: async () => (await import('./sessions/store.ts')).COPILOT_SESSIONS,
  route: async () => (await import('./route.ts')).route,
  // It counts the prompt's tokens against the model's budget before it asks.
  refusedInput: (ended) => ended.class === 'prompt_too_large' && !ended.requests,
  failureReport: null,
  asksAgain: 'after a wait',
  lingerMs: 5000,
} as const satisfies Adapter;

/** A rule that denies goes before all that allow; and a path outside the folder needs more than the tool. */
function allows(denial: Denial, request: CallRequest): Permission | null {
  const { tool, rule } = denial;
  const { access, own } = request;
  // With `write` it may run git, so what stopped that was no rule of ours.
  if (rule === COMMIT) return access === 'read' ? { flag: 'access', value: 'write' } : null;
  const allowed = rule ?? KINDS[tool] ?? tool;
  const kind = allowed.split('(')[0];
  const denying = ((own as CopilotOwn)['deny-tool'] ?? []).find((one) => one.split('(')[0] === kind);
  if (denying !== undefined) return { flag: 'deny-tool', value: denying };
  if (access === 'full') return null;
  if (access === 'write') return { flag: 'access', value: 'full' };
  return kind === 'write' ? { flag: 'access', value: 'write' } : { flag: 'allow-tool', value: allowed };
}

/** What the permission of a tool is called. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ bash: 'shell', write_bash: 'shell', powershell: 'shell' },
  ...{ create: 'write', edit: 'write', str_replace_editor: 'write', apply_patch: 'write' },
  ...{ web_fetch: 'url', fetch: 'url' },
};

/** Without a permission the CLI itself lets commands through that only look; paths outside the folder need a flag of their own. */
const ACCESS = {
  read: [],
  write: ['--allow-all-tools'],
  full: ['--allow-all-tools', '--allow-all-paths'],
} as const satisfies Record<CallRequest['access'], readonly string[]>;
