// The record of one call: what every ending leaves behind, for machines. `null` is unknown, never zero.

import type { Ending } from '../facts/ending.ts';
import type { Usage } from '../facts/engine-event.ts';
import type { Verdict } from '../facts/evidence.ts';
import type { NextAction } from '../facts/next-action.ts';
import type { Tool } from '../facts/tools.ts';
import type { LeftOut } from '../prompt/left-out.ts';

export const CALL_RECORD_SCHEMA = 1;

export interface CallRecord {
  schema: number;
  call_id: string;
  tool: Tool;
  cli_version: string | null;
  model: string | null;
  /** The CLI's arguments, secrets redacted. The prompt is never among them. */
  argv: string[];
  cwd: string;
  started_at: string;
  duration_ms: number | null;
  ending: Ending;
  native_exit_code: number | null;
  signal: string | null;
  wrapper_exit_code: number;
  session_id: string | null;
  answer_bytes: number;
  /** Over the bytes that were sent. */
  prompt_sha256: string | null;
  usage: Usage;
  /** Tools that the agent called: with any, a retry may not simply do everything again. */
  tool_calls: number | null;
  denied_tools: string[];
  warnings: string[];
  /** What a digest left out of the prompt; absent where nothing was, and in records of versions that did not say. */
  left_out?: readonly LeftOut[];
  /** With which the service answered a call that failed; absent where the CLI told none, and in records of versions that did not say. */
  http_status?: number;
  /** Over the description that a project has given of its CLI; absent of a built-in one. */
  tool_sha256?: string;
  verdict: Verdict;
  signature: string | null;
  /** Processes of the call that were found beside the CLI's own and ended. */
  orphans_killed: number | null;
  /** Retries of its own that the CLI announced. */
  inner_retries: number | null;
  /** What to do next, the best first; absent after a success, of a stage's call, whose run says it, and in records of versions that did not say. */
  next_actions?: NextAction[];
}
