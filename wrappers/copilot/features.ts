// What the copilot row relies on. Measured from 1.0.59 on (npm run bench:matrix -- --versions).

import type { Feature } from '../feature.ts';

export const FEATURES = [
  { kind: 'flag', name: '--output-format', since: null, without: null },
  { kind: 'flag', name: '--model', since: null, without: null },
  { kind: 'flag', name: '--no-ask-user', since: null, without: null },
  {
    kind: 'flag',
    name: '--no-auto-update',
    since: null,
    without: 'only COPILOT_AUTO_UPDATE keeps it from updating itself',
  },
  { kind: 'flag', name: '--no-color', since: null, without: 'only NO_COLOR keeps colours out of its words' },
  { kind: 'flag', name: '--allow-all-tools', since: null, without: null },
  { kind: 'flag', name: '--allow-all-paths', since: null, without: null },
  { kind: 'flag', name: '--allow-tool', since: null, without: null },
  { kind: 'flag', name: '--deny-tool', since: null, without: null },
  { kind: 'flag', name: '--session-id', since: null, without: null },
  { kind: 'flag', name: '--resume', since: null, without: null },
  { kind: 'flag', name: '-C', since: null, without: null },
  { kind: 'flag', name: '--usage-output-file', since: '1.0.81', without: 'its tokens are not counted' },
  { kind: 'variable', name: 'NO_COLOR', since: null, without: 'only --no-color keeps colours out of its words' },
  {
    kind: 'variable',
    name: 'COPILOT_AUTO_UPDATE',
    since: null,
    without: 'only --no-auto-update keeps it from updating itself',
  },
  { kind: 'event', name: 'assistant.turn_start', since: null, without: null },
  { kind: 'event', name: 'model.call_start', since: '1.0.73', without: 'its requests are not counted' },
  { kind: 'event', name: 'model.call_failure', since: null, without: null },
  {
    kind: 'event',
    name: 'assistant.turn_retry',
    since: '1.0.73',
    without: 'a retry is known by other events',
  },
  { kind: 'event', name: 'model.turn_retry', since: null, without: 'a retry is known by other events' },
  { kind: 'event', name: 'session.info', since: null, without: 'a retry is known by other events' },
  { kind: 'event', name: 'assistant.message_delta', since: null, without: null },
  { kind: 'event', name: 'assistant.message', since: null, without: null },
  { kind: 'event', name: 'tool.execution_start', since: null, without: null },
  { kind: 'event', name: 'tool.execution_complete', since: null, without: null },
  { kind: 'event', name: 'session.warning', since: null, without: null },
  { kind: 'event', name: 'session.error', since: null, without: null },
  { kind: 'event', name: 'result', since: null, without: null },
] as const satisfies readonly Feature[];
