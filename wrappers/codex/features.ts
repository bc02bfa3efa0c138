// What the codex row relies on. Measured from 0.137.0 on (npm run bench:matrix -- --versions).

import type { Feature } from '../feature.ts';

export const FEATURES = [
  { kind: 'flag', name: '--json', since: null, without: null },
  { kind: 'flag', name: '--skip-git-repo-check', since: null, without: null },
  { kind: 'flag', name: '--model', since: null, without: null },
  { kind: 'flag', name: '-c', since: null, without: null },
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
