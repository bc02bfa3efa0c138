// The named pipelines: which tool plays which role, in order. A manifest names one, a project may add its own.

import type { BuiltIn } from '../facts/tools.ts';
import type { BuiltInRole } from '../roles/roles.ts';

interface PipelineStage {
  tool: BuiltIn;
  role: BuiltInRole;
}

export const PIPELINES = {
  /** From a brief to a runbook, tests designed before the code, and a look by another tool. */
  safe_impl: [
    { tool: 'gemini', role: 'brief' },
    { tool: 'copilot', role: 'test_design' },
    { tool: 'codex', role: 'impl' },
    { tool: 'codex', role: 'test_impl' },
    { tool: 'copilot', role: 'static_verify' },
    { tool: 'gemini', role: 'verify' },
    { tool: 'copilot', role: 'runbook' },
  ],
  /** The change and its proof, nothing else. */
  one_shot_impl: [
    { tool: 'codex', role: 'impl' },
    { tool: 'gemini', role: 'verify' },
  ],
  /** What would be done, and how it would be tested; nothing is changed. */
  design_only: [
    { tool: 'gemini', role: 'brief' },
    { tool: 'copilot', role: 'test_design' },
  ],
  /** One look at what is there. */
  review_only: [{ tool: 'gemini', role: 'review' }],
  /** Three looks that know nothing of each other, made into one. */
  review_cross: [
    { tool: 'gemini', role: 'review' },
    { tool: 'copilot', role: 'review' },
    { tool: 'codex', role: 'review' },
    { tool: 'gemini', role: 'review_consolidate' },
  ],
  /** For a change that is there already: two looks made into one, and a runbook. */
  post_impl_review: [
    { tool: 'copilot', role: 'static_verify' },
    { tool: 'gemini', role: 'review' },
    { tool: 'codex', role: 'review_consolidate' },
    { tool: 'copilot', role: 'runbook' },
  ],
} as const satisfies Record<string, readonly PipelineStage[]>;

export type PipelineName = keyof typeof PIPELINES;
