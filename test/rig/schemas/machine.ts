// Defines the schemas of what preflight and wait_parallel_tasks print with --json.

import type { ToolListed } from '../../../bin/tollgate/tools.ts';
import type { WaitReport } from '../../../bin/wait-command.ts';
import type { Swept } from '../../../loops/upkeep/swept.ts';
import type { CheckFinding } from '../../../policies/facts/finding.ts';
import type { PreflightReport } from '../../../preflight.ts';
import { amount, count, flag, list, one, orNull, record, text, tool, version, whole } from './parts.ts';

export const PREFLIGHT = record<PreflightReport>(
  'What preflight --json prints',
  {
    schema: version,
    ok: flag('No check failed; with --sweep: nothing remains to be done'),
    findings: list(
      'What was looked at',
      record<CheckFinding>('One finding', {
        check: text('What was looked at'),
        status: one('note: good to know; warn: it may go wrong; fail: it will', ['ok', 'note', 'warn', 'fail']),
        found: text('What was found'),
        fix: orNull(text('What to do or to type'), 'nothing needs a fix'),
      }),
    ),
    swept: list(
      'What a sweep came upon; only after one',
      record<Swept>('One thing', {
        what: one('What it is', ['call', 'gate', 'task', 'folder', 'record', 'backup']),
        how: one('What became of it; kept and failed need a person', [
          'settled',
          'ended',
          'removed',
          'working',
          'elsewhere',
          'unseen',
          'kept',
          'failed',
        ]),
        call_id: orNull(text('The call'), 'it is of none'),
        task: orNull(text("The task's folder"), 'it belongs to none'),
        place: text('The folder or the file that it is about'),
        told: text('In a sentence'),
        fix: orNull(text('What to do'), 'there is nothing to be done'),
      }),
    ),
  },
  ['swept'],
);

export const TOOLS_LISTED = record<{
  schema: 1;
  tools: ToolListed[];
  catalogue: { tool: string; tested: string | null }[];
}>('What tollgate tools --json prints', {
  schema: version,
  tools: list(
    'The built-in CLIs, then those of tollgate.yaml',
    record<ToolListed>('One CLI', {
      tool,
      kind: one('Whether it is built in, or described by tollgate.yaml', ['built_in', 'described']),
      command: text('What calls it'),
      prefix: orNull(list('The words of its prefix', text('A word')), 'it is started directly'),
      binary: orNull(text('Its program, or that of its prefix'), 'it is not found'),
      version: orNull(text('Of the program'), 'only a start would tell'),
      tested: orNull(text('The versions that it was tried with'), 'the project describes it, or it was never run'),
      catalogue: orNull(
        one('Whether its description is that of the catalogue, or counts instead', ['same', 'other']),
        'the catalogue has none',
      ),
      access: list('The modes of access that it can be called with', one('A mode', ['read', 'write', 'full'])),
      takes_model: flag('Whether a model can be named'),
      resumes: flag('Whether it continues in a session'),
      reads_sessions: flag('Whether its session files are read, for history and undo'),
      output: one('Where its answer is', ['events', 'text', 'json', 'file']),
    }),
  ),
  catalogue: list(
    'What tollgate tools add can describe',
    record<{ tool: string; tested: string | null }>('One CLI', {
      tool: text('Its name'),
      tested: orNull(text('The version that it was tried with'), 'its description was never run'),
    }),
  ),
});

export const WAIT = record<WaitReport>('What wait_parallel_tasks --json prints', {
  schema: version,
  ok: flag('All are done'),
  done: count('Tasks that are done'),
  failed: count('Tasks that failed'),
  timed_out: count('Tasks that were not done in time'),
  left: count('Tasks whose wait was ended'),
  tasks: list(
    'The tasks, in the order in which they were named',
    record<WaitReport['tasks'][number]>('One task', {
      label: text('Its name'),
      status: one('What became of it', ['done', 'failed', 'timed_out', 'left']),
      exit_code: orNull(whole('Its exit code'), 'there is none'),
      class: orNull(text('What kind of failure'), 'it did not fail, or did not say'),
      reason: orNull(text('One word that refines the class, or how the wait ended'), 'it is done, or did not say'),
      message: text('What became of it, in a sentence'),
      earlier: flag('Whether its end was there before the wait began'),
      waited_ms: amount('How long it was waited for, in milliseconds'),
    }),
  ),
});
