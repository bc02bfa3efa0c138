// Defines the schemas of what preflight and wait_parallel_tasks print with --json.

import type { ToolListed } from '../../../bin/tollgate/tools.ts';
import type { WaitReport } from '../../../bin/wait-command.ts';
import type { Swept } from '../../../loops/upkeep/swept.ts';
import type { CheckFinding } from '../../../policies/facts/finding.ts';
import type { PreflightReport } from '../../../preflight.ts';
import { amount, count, flag, list, one, orNull, record, text, tool, version, whole } from './parts.ts';

export const PREFLIGHT = record<PreflightReport>(
  'Output of preflight --json',
  {
    schema: version,
    ok: flag('Whether no check failed; with --sweep, whether nothing remains to be done'),
    findings: list(
      'Findings of the checks',
      record<CheckFinding>('One finding of a check', {
        check: text('Name of the check'),
        status: one('Severity of the finding; note: for information; warn: a call may fail; fail: a call will fail', [
          'ok',
          'note',
          'warn',
          'fail',
        ]),
        found: text('What the check found'),
        fix: orNull(text('What to do, or which command to enter'), 'there is nothing to fix'),
      }),
    ),
    swept: list(
      'Results of a sweep; absent without a sweep',
      record<Swept>('One result of a sweep', {
        what: one('Kind of object that the sweep found', ['call', 'gate', 'task', 'folder', 'record', 'backup']),
        how: one('What the sweep did with the object; after kept and failed, the user must act', [
          'settled',
          'ended',
          'removed',
          'working',
          'elsewhere',
          'unseen',
          'kept',
          'failed',
        ]),
        call_id: orNull(text('Id of the call'), 'the object belongs to no call'),
        task: orNull(text('Path of the folder of the task'), 'the object belongs to no task'),
        place: text('Path of the folder or the file that the result is about'),
        told: text('Description of the result, in one sentence'),
        fix: orNull(text('What to do'), 'there is nothing to do'),
      }),
    ),
  },
  ['swept'],
);

export const TOOLS_LISTED = record<{
  schema: 1;
  tools: ToolListed[];
  catalogue: { tool: string; tested: string | null }[];
}>('Output of tollgate tools --json', {
  schema: version,
  tools: list(
    'CLIs that can be called: the built-in ones, then those of tollgate.yaml',
    record<ToolListed>('One CLI that can be called', {
      tool,
      kind: one('Whether the CLI is built in, or described by tollgate.yaml', ['built_in', 'described']),
      command: text('Command that calls the CLI'),
      prefix: orNull(
        list('Words of the prefix that starts the CLI elsewhere', text('One word of the prefix')),
        'the CLI is started directly',
      ),
      binary: orNull(text('Path of the program of the CLI, or of its prefix'), 'it was not found'),
      version: orNull(text('Version of the CLI'), 'only a start of the CLI would show it'),
      tested: orNull(
        text('Versions that the CLI was tested with'),
        'the description is of the project, or was never run',
      ),
      catalogue: orNull(
        one('Whether the description of the CLI is that of the catalogue, or replaces it', ['same', 'other']),
        'the catalogue has none of this CLI',
      ),
      access: list(
        'Modes of access that the CLI can be called with',
        one('One mode of access', ['read', 'write', 'full']),
      ),
      takes_model: flag('Whether a model can be requested'),
      resumes: flag('Whether the CLI can continue a session'),
      reads_sessions: flag('Whether Tollgate reads the session files of the CLI, for history and undo'),
      output: one('Where the CLI writes its answer', ['events', 'text', 'json', 'file']),
    }),
  ),
  catalogue: list(
    'CLIs that tollgate tools add can describe',
    record<{ tool: string; tested: string | null }>('One CLI of the catalogue', {
      tool: text('Name of the CLI'),
      tested: orNull(text('Version that the CLI was tested with'), 'its description was never run'),
    }),
  ),
});

export const WAIT = record<WaitReport>('Output of wait_parallel_tasks --json', {
  schema: version,
  ok: flag('Whether all tasks are done'),
  done: count('Number of tasks that are done'),
  failed: count('Number of tasks that failed'),
  timed_out: count('Number of tasks that were not done in time'),
  left: count('Number of tasks that had not ended when the wait was stopped'),
  tasks: list(
    'Calls that were waited for, in the order of their numbers, then tasks, in the given order',
    record<WaitReport['tasks'][number]>('One task or call that was waited for', {
      label: text('Name of the task or call'),
      status: one('State of the task when the wait ended', ['done', 'failed', 'timed_out', 'left']),
      exit_code: orNull(whole('Exit code of the task'), 'there is none'),
      class: orNull(text('Class of the failure'), 'the task did not fail, or reported none'),
      reason: orNull(
        text('Reason of the failure, or how the wait ended, as one word'),
        'the task is done, or reported none',
      ),
      message: text('Result of the task, in one sentence'),
      lacks: list(
        'What the answers of a finished task lack; empty for calls',
        text('Name of a stage, and what its answer lacks'),
      ),
      earlier: flag('Whether the task had ended before the wait began'),
      waited_ms: amount('Duration of the wait for the task, in milliseconds'),
    }),
  ),
});
