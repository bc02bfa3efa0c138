// Defines the record of one call, which every ending leaves behind for machines. `null` is unknown, never zero.

import type { Usage } from '../facts/engine-event.ts';
import type { Ending, Verdict } from '../facts/evidence.ts';
import type { NextAction } from '../facts/next-action.ts';
import type { Tool } from '../facts/tools.ts';
import type { Omission } from '../prompt/omissions.ts';

export const CALL_RECORD_SCHEMA = 1;

export interface CallRecord {
  schema: number;
  call_id: string;
  tool: Tool;
  cli_version: string | null;
  model: string | null;
  /** The account of the user's settings; absent for the login of the environment. */
  account?: string;
  /** The CLI's arguments, redacted. The prompt is never among them. */
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
  /** The hash of the sent bytes. */
  prompt_sha256: string | null;
  usage: Usage;
  /** How many tools the agent called. If there were any, a retry may not simply repeat everything. */
  tool_calls: number | null;
  denied_tools: string[];
  warnings: string[];
  /** What a digest omitted from the prompt; absent if nothing was omitted, and in records of older versions. */
  left_out?: readonly Omission[];
  /** The service's HTTP status for a failed call; absent if the CLI reported none, and in records of older versions. */
  http_status?: number;
  /** The hash of the description that a project gives for its CLI; absent for a built-in one. */
  tool_sha256?: string;
  verdict: Verdict;
  signature: string | null;
  /** Other processes of the call that were found and ended. */
  orphans_killed: number | null;
  /** The CLI's own retries that it announced. */
  inner_retries: number | null;
  /** What to do next, the best first. Absent after a success, in a stage's call, and in older records. */
  next_actions?: NextAction[];
}
