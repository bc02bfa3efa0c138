// Holds the one sentence for people about each reason of a failure, which every page, format and command shows.

import type { ErrorClass } from '../facts/classes.ts';
import type { LimitName, PassedLimit } from '../facts/evidence.ts';
import { dollars, figure, spell } from '../text/display.ts';
import type { FailureReason } from '../verdict/reasons.ts';

/** How a supervision ends without a failed call. */
type SupervisionReason = 'reasoner_errors' | 'save_session' | 'stalled';

/** `{tool}` is replaced by the name of the CLI. */
export const SENTENCES = {
  // What the CLI or its service reported.
  bad_credentials: 'The service rejected the credentials of {tool}.',
  bad_flag: '{tool} does not know a flag, or a value of a flag, that it was called with.',
  bad_input: 'The request could not be read, or {tool} did not accept it.',
  bad_key: 'The service rejected the API key as invalid.',
  bad_request: 'The service rejected the request as invalid.',
  balance: 'The service answered that the credit of the account is used up.',
  billing: 'The service requires a payment before it accepts more requests.',
  binary_missing: '{tool} is not installed, or was not found on the PATH.',
  broken_history: 'The service cannot continue this session, because its history is damaged.',
  broken_install: 'The installation of {tool} is incomplete or damaged, or does not fit this machine.',
  certificate: 'The TLS certificate of the service or a proxy could not be verified.',
  client_retired: 'The service no longer accepts this kind of sign-in from {tool}.',
  config: 'The settings of {tool} are wrong.',
  conflict: 'The service could not handle the request at that moment, because of a conflict.',
  content_filter: 'A content filter of the service blocked the prompt or the answer.',
  crashed: '{tool} crashed.',
  cut_answer: 'The answer ended before it was complete.',
  disk_full: 'The disk is full, or a quota or a size limit for files is reached.',
  empty_answer: 'The answer of {tool} is empty.',
  file_system: 'The file system of this machine reported an error to {tool}.',
  garbled_response: 'The service sent a response that {tool} could not read.',
  git: 'A git command that {tool} needs failed.',
  hook_stopped: 'A hook in the settings of {tool} stopped the call.',
  inner_retry: '{tool} retried inside the call until tollgate ended it.',
  killed: 'The system or another process killed {tool}.',
  long_reset: 'The service answered that a limit is reached, and its reset is hours or days away.',
  loop: '{tool} stopped, because the model repeated itself in a loop.',
  malformed_call: 'The model called a tool in a form that {tool} could not read.',
  max_turns: '{tool} used all its turns before it had an answer.',
  mcp_server: 'An MCP server of {tool} failed, or requires a sign-in.',
  missing_file: 'A file or folder that {tool} needs does not exist.',
  model_not_found: 'The requested model does not exist, or this account cannot use it.',
  network: 'The network connection to the service failed.',
  not_authorised: 'The service answered that the account lacks the required permission.',
  not_committed: 'Every stage is done, but tollgate could not commit the changes.',
  not_found: 'The service did not find what was requested.',
  not_signed_in: '{tool} is not signed in.',
  out_of_memory: '{tool} ran out of memory.',
  output_limit: 'The answer reached the output limit of the model and was cut.',
  over_limit: 'The prompt with its history is larger than the model accepts.',
  overloaded: 'The service is overloaded.',
  period: 'The service answered that the limit for this day, week or month is used up.',
  permission: 'The system denied {tool} access to a file or a command.',
  plan: 'The service answered that the usage limit of the account is used up.',
  prompt_cut: '{tool} cut the prompt, because it was too long.',
  proxy_auth: 'The proxy or the network requires a sign-in, or does not let the call through.',
  rate_limit: 'The service answered that requests came too fast.',
  region_unsupported: 'The service is not available in this region.',
  sandbox: 'The sandbox of {tool} could not be started.',
  server_error: 'The service failed with an internal error.',
  session_busy: 'Another process uses the session.',
  session_id: 'The session to resume does not exist, or its id is invalid.',
  state_database: '{tool} could not use its own state database.',
  too_many_files: 'The limit of open files is reached.',
  unstructured_answer: 'The model gave no answer in the required structure.',
  untrusted: 'The folder is not trusted.',
  watchers_exhausted: 'The limit of file watches on this machine is reached.',

  // How the call ended.
  answer_too_large: 'The answer is complete, but too large to be stored.',
  idle: '{tool} wrote nothing for longer than the idle limit, so tollgate ended it.',
  interrupted: '{tool} was interrupted before it finished.',
  no_answer_field: 'The output of {tool} has no answer where its description says.',
  not_started: '{tool} could not be started.',
  output_overflow: '{tool} wrote more output than the limit, so tollgate ended it.',
  silent_start: '{tool} wrote nothing after its start, so tollgate ended it.',
  timeout: 'The call, or a request to the service, did not finish within its time limit.',
  tool_denied: '{tool} was not allowed to use one of its tools.',
  unmatched: 'The call failed for a reason that tollgate does not know.',

  // Why a call was not made, or a run could not begin.
  bad_prefix: 'The command prefix of {tool} cannot be used, so no call was made.',
  bad_state: 'The stored state could not be read.',
  budget: "The task's own limit for calls, tokens, money or time is used up.",
  call_elsewhere: 'A call of this task is still running elsewhere.',
  cancelled: 'The call or its run was stopped before the end.',
  disk: 'A file of the call could not be written.',
  empty_prompt: 'The prompt is empty.',
  held: 'The account is on hold after an earlier failure, so no call was made.',
  no_prompt: 'The prompt could not be read.',
  no_working_folder: 'The working folder does not exist, or cannot be used.',
  not_described: 'The description of {tool} does not support a requested feature.',
  not_prepared: 'The call could not be prepared, and nothing was paid.',
  own_limit: 'Your own limit for calls of {tool} is reached, so no call was made.',
  paused: 'The batch paused {tool} after the same failure in another task.',
  prompt_changed: 'A prompt changed after its answer was stored, so no call was made.',
  prompt_limit: 'The prompt is larger than the limit, so no call was made.',
  session_elsewhere: 'The session belongs to another folder or another tool.',
  state_unwritable: 'The state of the task could not be written.',
  unwritable_output: 'The output file cannot be written, so no call was made.',
  wrapper_failed: 'The wrapper of {tool} ended without a result.',

  // What a gate found.
  acceptance_failed: 'An acceptance command failed.',
  answer_unreadable: 'The stored answer can no longer be read.',
  diff_does_not_apply: 'The diff in the answer does not apply to the files.',
  diff_leaves_tree: 'The diff in the answer changes files outside the working folder.',
  diff_unchecked: 'It could not be checked whether the diff in the answer applies.',
  diff_unclear: 'The diff in the answer changes files that its headers do not name.',
  judge_changed: 'Files that check the result of this task were changed.',
  missing_sections: 'The answer lacks required sections, or they are empty.',
  no_change: 'The stage had to change files, and changed none.',
  no_diff: 'The answer contains no unified diff, but the stage requires one.',
  not_json: 'The answer is not one JSON value, as the stage requires.',
  out_of_scope: 'The stage changed files outside its scope.',
  refusal: 'The model refused the task.',
  schema_mismatch: 'The answer does not fit the required schema.',
  schema_unchecked: 'The answer could not be checked against the schema in time.',
  too_short: 'The answer has fewer lines of text than required.',
  verdict_fail: 'The verdict of the answer is FAIL.',
  verdict_missing: 'The answer has no verdict, neither PASS nor FAIL.',

  reasoner_errors: 'The reasoner failed several times in a row.',
  save_session: 'The reasoner decided to save the session and stop.',
  stalled: 'The same instruction was repeated, and it changed nothing.',
} as const satisfies Record<FailureReason | SupervisionReason, string>;

/** For a reason of a project's own rule, and for records of other versions. */
export const CLASS_SENTENCES = {
  transient: 'The call failed for a temporary cause.',
  prompt_too_large: 'The prompt or the history is too large.',
  auth: '{tool} could not sign in, or the account has no access.',
  quota: 'A usage limit is reached.',
  tooling: 'The setup of {tool} or of this machine prevents the call.',
  scope_violation: 'The stage broke the scope of its task.',
  contract_violation: 'The answer does not contain what the task requires.',
  unknown: 'The call failed for a cause that tollgate does not know.',
} as const satisfies Record<ErrorClass, string>;

/** For the limit that ended or refused a call. `{value}` is replaced by its value, and the words in brackets are its setting. */
export const LIMIT_SENTENCES = {
  timeout: '{tool} did not finish within {value} (timeout_ms), so tollgate ended it.',
  idle_timeout: '{tool} wrote nothing for {value} (idle_timeout_ms), so tollgate ended it.',
  start_timeout: '{tool} wrote nothing in its first {value} (start_timeout_ms), so tollgate ended it.',
  turns: '{tool} used its {value} (max_turns) before it had an answer.',
  output: '{tool} wrote more than {value} (max_output_bytes), so tollgate ended it.',
  prompt: 'The prompt is larger than {value}, so no call was made.',
  call_budget: 'The call used the {value} that it may use, so tollgate ended it.',
  task_budget: "The task's budget of {value} is used up, so no call was made.",
  rest_of_task_budget: "The call used the last {value} of its task's budget, so tollgate ended it.",
  task_time: "The task's time of {value} (max_wallclock_sec) is used up, so no call was made.",
  rest_of_task_time: "The call used the last {value} of its task's time (max_wallclock_sec), so tollgate ended it.",
  nested_calls: "The agent's call may charge {value} to its task (nested_calls), so no further call was made.",
  iterations: 'The reasoner and the worker used their {value} (max_iterations).',
  user_budget: 'Your own limit of {value} over all tasks is used up, so no call was made.',
  rest_of_user_budget: 'The call used the last {value} of your limit over all tasks, so tollgate ended it.',
  at_once: 'Your own limit of {value} at once is reached, and a nested call does not wait.',
} as const satisfies Record<LimitName, string>;

/** A failure as records store it; records of other versions may have other classes and reasons. */
interface NamedFailure {
  class: string;
  reason: string | null;
  tool?: string | null;
  evidence?: { limit?: PassedLimit | undefined } | null;
}

export function failureSentence({ class: errorClass, reason, tool, evidence }: NamedFailure): string {
  const sentence =
    limitText(evidence?.limit) ??
    textOf(SENTENCES, reason) ??
    textOf(CLASS_SENTENCES, errorClass) ??
    CLASS_SENTENCES.unknown;
  const named = sentence.replaceAll('{tool}', tool ?? 'the CLI');
  return tool ? named : `${named.charAt(0).toUpperCase()}${named.slice(1)}`;
}

/** Whether the sentence says all of the evidence: the limit of a time, of turns or of output, with its value. */
export const isInSentence = ({ limit, source }: { limit?: PassedLimit; source: string }): boolean =>
  source === 'ending' && limit !== undefined && limit.unit !== 'tokens' && limit.unit !== 'usd';

/** Records on disk may have been edited. */
function limitText(limit: PassedLimit | undefined): string | undefined {
  const sentence = textOf(LIMIT_SENTENCES, limit?.name ?? null);
  return limit === undefined || typeof limit.value !== 'number'
    ? undefined
    : sentence?.replace('{value}', amountOf(limit));
}

/** `2 min`, `1 turn`, `50,000 tokens`, `$0.5000`. */
function amountOf({ value, unit, per }: PassedLimit): string {
  if (per !== undefined) return `${amountOf({ name: 'user_budget', value, unit })} a ${per}`;
  if (unit === 'usd') return dollars(value);
  if (unit === 'ms') return value % 1000 === 0 ? spell(value) : `${value / 1000} s`;
  const what = unit === 'calls' ? 'paid calls' : unit;
  return `${figure(value)} ${value === 1 ? what.slice(0, -1) : what}`;
}

const textOf = (table: Readonly<Record<string, string>>, key: string | null): string | undefined =>
  key !== null && Object.hasOwn(table, key) ? table[key] : undefined;
