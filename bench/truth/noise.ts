// Defines operators that add what a rerun may print besides its error: notices, retries, progress, frames, and the error again.

import type { BuiltIn } from '../../policies/facts/tools.ts';
import { pick, type Random, whole } from '../random.ts';
import { after, before, firstSignedLine, type Operator } from './operator.ts';
import type { Subject } from './subject.ts';

/** Adds lines above all of stderr, whatever is signed; right above the first signed line; or below all, if stderr is signed. */
const adding =
  (where: 'above' | 'aboveError' | 'below') =>
  (name: string, linesOf: (tool: BuiltIn, random: Random) => readonly string[]): Operator => ({
    name,
    change: (subject, random) => {
      const { tool, stderr } = subject.labelled.captured;
      const at = where === 'above' || subject.of === 'event' ? 0 : firstSignedLine(subject);
      if (where === 'below' && subject.of === 'stderr') return { text: after(subject.text, linesOf(tool, random)) };
      if (where === 'below' || (where === 'aboveError' && (subject.of === 'nothing' || at === -1))) return null;
      return { stderr: before(stderr, at, linesOf(tool, random)) };
    },
  });
const [above, aboveError, below] = [adding('above'), adding('aboveError'), adding('below')];

const PREAMBLES: Record<BuiltIn, readonly string[]> = {
  gemini: [
    'Loaded cached credentials.',
    'YOLO mode is enabled. All tool calls will be automatically approved.',
    'Warning: 256-color support not detected. Using a terminal with at least 256-color support is recommended for a better visual experience.',
    'Ripgrep is not available. Falling back to GrepTool.',
    "[STARTUP] Cannot measure phase 'cleanup_ops': start mark 'startup:cleanup_ops:start' not found",
    'Data collection is disabled.',
    'Hook registry initialized with 0 hook entries',
  ],
  codex: [
    'Reading prompt from stdin...',
    'Reading additional input from stdin...',
    'warning: Codex could not find bubblewrap on PATH. Install bubblewrap with your OS package manager.',
    'warning: Model metadata for `gpt-5.1-codex` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.',
  ],
  copilot: [
    '! No token count multiplier is known for Anthropic model "x".',
    'Changes    +0 -0',
    'Duration   3s',
    'Tokens     ↑ 11 • ↓ 7',
  ],
  claude: [
    'Ignoring 1 permissions.allow entry from .claude/settings.json: this workspace has not been trusted. Run Claude Code interactively here once and accept the trust dialog, or set it in your user settings.',
    '[claude-code:unrecognized_model] {"model":"claude-next","query_source":"sdk"}',
    'SessionEnd hook [sleep 300] failed: Hook cancelled',
  ],
};

const RETRIES: Record<BuiltIn, (random: Random) => readonly string[]> = {
  gemini: (random) => [
    `Attempt ${whole(random, 1, 9)} failed with status 503. Retrying with backoff... _ApiError: {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`,
    '    at async Models.generateContentStream (file:///usr/lib/cli/bundle/chunk-7QH3KX2P.js:212304:16) {',
    '  status: 503',
    '}',
  ],
  codex: (random) => [
    `ERROR: Reconnecting... ${whole(random, 1, 4)}/5 (stream disconnected before completion: stream closed before response.completed)`,
  ],
  copilot: () => ['● Request failed due to a transient API error. Retrying...'],
  // Its retries are reported only in its event stream.
  claude: () => [],
};

const FRAMES: Record<BuiltIn, (random: Random) => readonly string[]> = {
  gemini: nodeFrames,
  copilot: nodeFrames,
  claude: nodeFrames,
  codex: (random) => [
    'stack backtrace:',
    '   0: rust_begin_unwind',
    `             at /rustc/05f9846f893b09a1be1fc8560e33fc3c815cfecb/library/std/src/panicking.rs:${whole(random, 1, 900)}:5`,
    '   1: core::panicking::panic_fmt',
    '   2: codex_exec::run_main::{{closure}}',
    'note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.',
  ],
};

function nodeFrames(random: Random): readonly string[] {
  const place = () => `${whole(random, 1, 400000)}:${whole(random, 1, 90)}`;
  return [
    `    at throwIfNotOK (file:///usr/lib/node_modules/cli/bundle/chunk-7QH3KX2P.js:${place()})`,
    `    at async Client.sendOnce (file:///usr/lib/node_modules/cli/bundle/chunk-7QH3KX2P.js:${place()})`,
    '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
    `    at async /srv/app/node_modules/cli/index.js:${place()}`,
  ];
}

export const NOISE: readonly Operator[] = [
  above('notices of the CLI', (tool, random) => {
    const from = whole(random, 0, PREAMBLES[tool].length - 1);
    return PREAMBLES[tool].slice(from, from + 3);
  }),
  above('warnings of runtime and telemetry', (_tool, random) =>
    pick(random, [
      [
        `(node:${whole(random, 300, 99999)}) [DEP0040] DeprecationWarning: The \`punycode\` module is deprecated. Please use a userland alternative instead.`,
        '(Use `node --trace-deprecation ...` to show where the warning was created)',
      ],
      [
        `(node:${whole(random, 300, 99999)}) ExperimentalWarning: SQLite is an experimental feature and might change at any time`,
      ],
      ['[WARN] telemetry: export failed, 3 spans dropped'],
      [`2026-11-21T20:16:${whole(random, 10, 59)}.001Z  WARN codex_otel::exporter: exporting metrics failed: timeout`],
      ['npm notice New major version of npm available! 10.8.2 -> 11.6.0'],
    ]),
  ),
  above('progress and spinners', (_tool, random) =>
    pick(random, [
      [`⠋ Connecting...\r⠙ Connecting...\r⠹ Connecting...\r\x1b[K`],
      [`Downloading model  ${whole(random, 1, 99)}%`, `[=====>    ] ${whole(random, 1, 20)}/20`],
      [` 12% |█▌        | 2/20\r ${whole(random, 13, 99)}% |█████     | 9/20`],
    ]),
  ),
  {
    name: 'a spinner overwritten by the error',
    change: ({ of, text }, random) =>
      of === 'stderr'
        ? { text: `${pick(random, ['⠋ Thinking...', '/ waiting', 'Loading 12%'])}\r\x1b[2K${text}` }
        : null,
  },
  aboveError('retries before it', (tool, random) =>
    Array.from({ length: whole(random, 1, 3) }, () => RETRIES[tool](random)).flat(),
  ),
  below('frames after it', (tool, random) => FRAMES[tool](random)),
  below('version of the runtime after it', (_tool, random) => [
    '',
    `Node.js v${whole(random, 20, 24)}.${whole(random, 0, 20)}.${whole(random, 0, 3)}`,
  ]),
  aboveError('source and caret before it', (_tool, random) => [
    `file:///usr/lib/node_modules/cli/bundle/chunk-7QH3KX2P.js:${whole(random, 1, 99999)}`,
    '        throw new FatalError(describe(cause));',
    '        ^',
    '',
  ]),
  { name: 'the error line again', change: again },
  {
    name: 'all of it again',
    change: ({ of, text }) =>
      of === 'stderr' && text.length < 20_000 && !/^OpenAI Codex v/m.test(text)
        ? { text: after(text, [text.trimEnd()]) }
        : null,
  },
];

function again(subject: Subject): ReturnType<Operator['change']> {
  const at = firstSignedLine(subject);
  if (subject.of !== 'stderr' || at === -1) return null;
  const line = subject.text.split('\n')[at]!;
  // A line that continues into a dump is never printed twice in a row.
  if (/[{[(:,]\s*$/.test(line)) return null;
  return { text: before(subject.text, at + 1, [line]) };
}
