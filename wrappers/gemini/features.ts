// Lists the features that the gemini row relies on, measured from 0.45.2 on (npm run bench:matrix -- --versions).

import type { Feature } from '../feature.ts';

export const FEATURES = [
  { kind: 'flag', name: '--output-format', since: null, without: null },
  { kind: 'flag', name: '--model', since: null, without: null },
  { kind: 'flag', name: '--approval-mode', since: null, without: null },
  { kind: 'flag', name: '--sandbox', since: null, without: null },
  { kind: 'flag', name: '--resume', since: null, without: null },
  { kind: 'setting', name: 'general.maxAttempts', since: null, without: 'the retries that it announces are cut' },
  { kind: 'setting', name: 'general.enableAutoUpdate', since: null, without: 'it may update itself' },
  { kind: 'setting', name: 'general.enableAutoUpdateNotification', since: null, without: 'it may tell of an update' },
  {
    kind: 'setting',
    name: 'general.sessionRetention',
    since: null,
    without: 'it may delete a session whose resume failed',
  },
  { kind: 'setting', name: 'model.maxSessionTurns', since: null, without: 'its turns are counted from without' },
  {
    kind: 'variable',
    name: 'GEMINI_CLI_NO_RELAUNCH',
    since: null,
    without: 'a launcher that swallows signals runs before it',
  },
  { kind: 'variable', name: 'GEMINI_CLI_TRUST_WORKSPACE', since: null, without: null },
  { kind: 'variable', name: 'GEMINI_CLI_SYSTEM_SETTINGS_PATH', since: null, without: null },
  {
    kind: 'variable',
    name: 'GEMINI_DEBUG_LOG_FILE',
    since: null,
    without: 'an MCP server that failed is reported without its name',
  },
  ...['ENABLED', 'TARGET', 'OUTFILE', 'LOG_PROMPTS'].map(
    (name) =>
      ({
        kind: 'variable',
        name: `GEMINI_TELEMETRY_${name}`,
        since: null,
        without: 'there is no warning of an answer that its service cut',
      }) as const,
  ),
  { kind: 'variable', name: 'NO_COLOR', since: null, without: 'colours may stand in its words' },
  { kind: 'variable', name: 'TERM', since: null, without: 'it may warn of few colours' },
  { kind: 'variable', name: 'COLORTERM', since: null, without: 'it may warn of few colours' },
  { kind: 'event', name: 'init', since: null, without: null },
  { kind: 'event', name: 'message', since: null, without: null },
  { kind: 'event', name: 'tool_use', since: null, without: null },
  { kind: 'event', name: 'tool_result', since: null, without: null },
  { kind: 'event', name: 'error', since: null, without: null },
  { kind: 'event', name: 'result', since: null, without: null },
] as const satisfies readonly Feature[];
