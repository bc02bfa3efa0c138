// Entries for a log, of which only the call's id and the message count.

import type { ApiContext } from '../../../policies/api-errors/entry.ts';
import type { layOut } from '../../../policies/api-errors/log-format.ts';

export function entryOf(
  call_id: string,
  message = 'status 400',
  more: Partial<ApiContext> = {},
): Parameters<typeof layOut> {
  const context = {
    v: 1,
    call_id,
    task: 'fix',
    stage: 'codex_review',
    run_id: 'r1',
    tool: 'codex',
    cli_version: '0.101.0',
    model: null,
    session_id: 's-1',
    ending: 'exited',
    attempt: '/a',
    cwd: '/p',
    class: 'transient',
    reason: 'server_error',
    signature: null,
    source: 'failure',
    rule: 'status-5xx',
    ...more,
  } as const;
  const response = { status: 500, code: null, type: null, details: null, headers: null, stderr: [], events: [] };
  const error = { at: '2026-11-22T10:00:00.000Z', context, message, stack: null, response, before: [] };
  return [error, { how: 'read', from: 'session_file', file: null, less: null }, '[{"prompt":"hi"}]'];
}
