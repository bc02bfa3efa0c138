// Lists each kind of end of a task as a manifest and its calls: for the tests of its report and of the next action.

import type { FakeCommand } from './fake-call.ts';
import type { RunningCommand } from './running-command.ts';
import { answerWith, failWith, SESSION, STREAMS, type Stream, write } from './streams.ts';
import { ANY_ANSWER } from './task-run.ts';

const GEMINI: Stream = STREAMS.gemini;

export interface Kind {
  manifest: object;
  /** The actions of each call; the last entry is used for all later calls. */
  calls: (readonly FakeCommand[])[];
  flags?: string[];
  /** The files that exist besides the manifest. */
  files?: Record<string, string>;
  /** Acts while the first call hangs. */
  during?: (task: RunningCommand) => void;
}

const REVIEW = { stages: [{ tool: 'codex', role: 'review' }] };
const ANY_REVIEW = { stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER }] };
const IMPL = {
  stages: [
    { tool: 'codex', role: 'impl', ...ANY_ANSWER },
    { tool: 'gemini', role: 'verify' },
  ],
};
const JUDGED_IMPL = { stages: [IMPL.stages[0]!, { tool: 'gemini', role: 'verify' }] };
const PASSED = '## Findings\n\n- none\n- at all\n- here\n\n## Verdict\n\nPASS\n';
const fails = (message: string, status: number) => failWith('codex', message, status);
const says = (text: string) => answerWith('codex', text);
const save = (file: string): FakeCommand => ({ do: 'save', file, text: 'new\n' });
const noise = (text: string): FakeCommand => ({ do: 'write', to: 'stderr', text });

export const KINDS: Record<string, Kind> = {
  done: { manifest: ANY_REVIEW, calls: [says('fine')] },
  'done-after-a-retry': {
    manifest: ANY_REVIEW,
    calls: [fails('unexpected status 503 Service Unavailable: busy', 503), says('fine')],
  },
  transient: {
    manifest: ANY_REVIEW,
    calls: [[noise('connecting\n'.repeat(30)), ...fails('unexpected status 500 Internal Server Error: boom', 500)]],
  },
  'transient-timeout': {
    manifest: { stages: [{ tool: 'codex', role: 'review', timeout_ms: 4000 }], budgets: { retry_budget: 0 } },
    calls: [[{ do: 'hang' }]],
  },
  'transient-empty-answer': { manifest: { ...ANY_REVIEW, budgets: { retry_budget: 0 } }, calls: [says('')] },
  prompt_too_large: {
    manifest: ANY_REVIEW,
    calls: [
      fails(
        "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
        400,
      ),
    ],
    files: { 'inputs/attachments/build.log': 'one line\n'.repeat(2000) },
  },
  auth: { manifest: ANY_REVIEW, calls: [fails('unexpected status 401 Unauthorized: Incorrect API key provided', 401)] },
  quota: { manifest: ANY_REVIEW, calls: [fails('Quota exceeded. Check your plan and billing details.', 429)] },
  'quota-budget': { manifest: { ...ANY_REVIEW, budgets: { paid_call_budget: 0 } }, calls: [says('never asked')] },
  'quota-tokens': {
    manifest: {
      stages: [...ANY_REVIEW.stages, { ...ANY_REVIEW.stages[0]!, id: 'second' }],
      budgets: { max_tokens: 5 },
    },
    calls: [says('fine')],
  },
  tooling: {
    manifest: ANY_REVIEW,
    calls: [fails('The model `nope` does not exist or you do not have access to it.', 404)],
  },
  unknown: { manifest: ANY_REVIEW, calls: [fails('the flux capacitor is misaligned', 0)] },
  'contract-sections': { manifest: REVIEW, calls: [says('## Findings\n\n- one\n- two\n- three\n- four\n')] },
  'contract-verdict-missing': {
    manifest: { stages: [{ tool: 'codex', role: 'verify' }] },
    calls: [says(PASSED.replace('PASS', 'FAILED'))],
  },
  'contract-lines': { manifest: { stages: [{ tool: 'codex', role: 'review', requires: [] }] }, calls: [says('fine')] },
  'contract-refusal': { manifest: REVIEW, calls: [says("I'm sorry, but I can't help with that request.")] },
  'contract-schema': {
    manifest: { stages: [{ ...ANY_REVIEW.stages[0]!, schema: { type: 'object', required: ['verdict'] } }] },
    calls: [says('{"findings": []}')],
  },
  'contract-no-json': {
    manifest: { stages: [{ ...ANY_REVIEW.stages[0]!, schema: { type: 'object' } }] },
    calls: [says('It is fine.')],
  },
  'contract-no-change': { manifest: IMPL, calls: [says('done')] },
  'contract-no-diff': { manifest: { stages: [{ ...IMPL.stages[0]!, access: 'read' }] }, calls: [says('done')] },
  'contract-diff': {
    manifest: { stages: [{ ...IMPL.stages[0]!, access: 'read' }] },
    calls: [says('```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n```\n')],
  },
  'contract-acceptance': {
    manifest: {
      stages: [{ tool: 'codex', role: 'verify', ...ANY_ANSWER }],
      acceptance: { commands: ['true', 'echo 1 test failed; exit 3'] },
    },
    calls: [says('fine')],
  },
  'contract-acceptance-of-another': {
    manifest: { ...JUDGED_IMPL, acceptance: { commands: ['true', 'cat src/a.ts; exit 3'] } },
    calls: [[save('src/a.ts'), ...says('done')], answerWith('gemini', PASSED)],
  },
  'done-with-a-change': {
    manifest: { ...JUDGED_IMPL, acceptance: { commands: ['cat src/a.ts'] } },
    calls: [[save('src/a.ts'), ...says('done')], answerWith('gemini', PASSED)],
  },
  'contract-two-findings': {
    manifest: { stages: [{ tool: 'codex', role: 'review' }] },
    calls: [says('## Summary\n\nfine\n')],
  },
  'transient-retry-cut': {
    manifest: { ...ANY_REVIEW, budgets: { retry_budget: 0 } },
    calls: [
      [
        write([...STREAMS.codex.opens(SESSION), ...STREAMS.codex.retries('stream disconnected before completion')]),
        { do: 'hang' },
      ],
    ],
  },
  'transient-killed': {
    manifest: { ...ANY_REVIEW, budgets: { retry_budget: 0 } },
    calls: [[write(STREAMS.codex.opens(SESSION)), { do: 'die', signal: 'SIGKILL' }]],
  },
  'unknown-with-a-stack': {
    manifest: { ...ANY_REVIEW, budgets: { retry_budget: 0 } },
    calls: [
      [
        noise(
          'TypeError: flux is odd\n    at a (/x/node_modules/a.js:1:2)\n    at b (/p/own.js:3:4)\n    at c (node:fs:5:6)\n',
        ),
        { do: 'exit', code: 3 },
      ],
    ],
  },
  'contract-max-turns': {
    manifest: { stages: [{ ...ANY_REVIEW.stages[0]!, max_turns: 1 }] },
    calls: [
      [
        write([...STREAMS.codex.opens(SESSION), ...STREAMS.codex.runsTool('a'), ...STREAMS.codex.runsTool('b')]),
        { do: 'hang' },
      ],
    ],
  },
  scope: {
    manifest: { ...IMPL, scope: { allow: ['src/**'], deny: ['src/secret*'] } },
    calls: [[save('src/secret.ts'), save('docs/a.md'), save('src/fine.ts'), ...says('done')]],
  },
  'scope-restored': {
    manifest: { ...IMPL, scope: { allow: ['src/**'] } },
    calls: [[save('docs/a.md'), save('src/fine.ts'), ...says('done')]],
    flags: ['--restore'],
  },
  'scope-judge': {
    manifest: IMPL,
    calls: [[save('.tmp/task/fix/manifest.json'), save('src/fine.ts'), ...says('done')]],
  },
  'dirty-and-cut': {
    manifest: { stages: [{ tool: 'gemini', role: 'impl', ...ANY_ANSWER }] },
    calls: [
      [
        save('src/half.ts'),
        // It ends before it has reported its session.
        write([...GEMINI.fails('busy', 503, SESSION)]),
        { do: 'exit', code: 247 },
      ],
    ],
  },
  interrupted: { manifest: ANY_REVIEW, calls: [[{ do: 'hang' }]], during: (running) => running.signal('SIGINT') },
};
