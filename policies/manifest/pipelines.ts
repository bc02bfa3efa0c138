// Defines the named pipelines: which tool plays which role, in order. A manifest names one; a project may add its own.

import type { BuiltIn } from '../facts/tools.ts';
import type { BuiltInRole } from './roles.ts';

interface PipelineStage {
  tool: BuiltIn;
  role: BuiltInRole;
}

export const PIPELINES = {
  /** From a brief to a runbook, with tests designed before the code, and a check by another tool. */
  safe_impl: [
    { tool: 'gemini', role: 'brief' },
    { tool: 'copilot', role: 'test_design' },
    { tool: 'codex', role: 'impl' },
    { tool: 'codex', role: 'test_impl' },
    { tool: 'copilot', role: 'static_verify' },
    { tool: 'gemini', role: 'verify' },
    { tool: 'copilot', role: 'runbook' },
  ],
  /** The change and its verification, nothing else. */
  one_shot_impl: [
    { tool: 'codex', role: 'impl' },
    { tool: 'gemini', role: 'verify' },
  ],
  /** What would be done, and how it would be tested; nothing is changed. */
  design_only: [
    { tool: 'gemini', role: 'brief' },
    { tool: 'copilot', role: 'test_design' },
  ],
  /** One review of the current state. */
  review_only: [{ tool: 'gemini', role: 'review' }],
  /** Three independent reviews, consolidated into one. */
  review_cross: [
    { tool: 'gemini', role: 'review' },
    { tool: 'copilot', role: 'review' },
    { tool: 'codex', role: 'review' },
    { tool: 'gemini', role: 'review_consolidate' },
  ],
  /** For a change that already exists: two reviews consolidated into one, and a runbook. */
  post_impl_review: [
    { tool: 'copilot', role: 'static_verify' },
    { tool: 'gemini', role: 'review' },
    { tool: 'codex', role: 'review_consolidate' },
    { tool: 'copilot', role: 'runbook' },
  ],
} as const satisfies Record<string, readonly PipelineStage[]>;

export type PipelineName = keyof typeof PIPELINES;
