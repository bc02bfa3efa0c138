// Defines the schema of what `tollgate run --dry-run` prints with --json.

import type { Forecast, ShownPrompt } from '../../../loops/run/forecast.ts';
import type { PartSize } from '../../../policies/prompt/part.ts';
import { count, hash, list, nextActions, one, orNull, record, type Schema, text, texts, version } from './parts.ts';

const part = record<PartSize>(
  'One part of the prompt',
  {
    kind: text('Kind of the part, such as goal or attachment'),
    name: text('Name of the part'),
    chars: count('Number of characters of the whole part'),
    kept: count('Number of characters of the part that are in the prompt'),
    sections: texts('Headings of the request, if it has several of the same level; absent for other parts'),
  },
  ['sections'],
);

const object = (description: string, properties: Record<string, Schema>, optional: readonly string[]): Schema => ({
  description,
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

const stage = object(
  'Forecast of one stage',
  {
    stage: text('Name of the stage'),
    state: one(
      'What a run would do with the stage; prompt_changed: it refuses until the user decides about the existing answer',
      ['to_run', 'done_earlier', 'prompt_changed'],
    ),
    argv: texts('Program of the CLI and its arguments'),
    prompt_chars: count('Number of characters of the prompt'),
    prompt_sha256: hash('SHA-256 of the prompt'),
    digest: text('How the prompt is shortened: off, auto or aggressive'),
    parts: list('Parts of the prompt', part),
    left_out: list(
      'Parts that the digest omits from the prompt, or shortens',
      object(
        'One part that the digest omits from the prompt, or shortens',
        {
          what: text('Name of the part of the prompt'),
          kept: count('Number of characters of the part that are in the prompt'),
          chars: count('Number of characters of the whole part'),
        },
        [],
      ),
    ),
    acceptance_commands: texts('Commands that the gate would run'),
    warnings: texts('Warnings about the stage'),
    prompt: record<ShownPrompt>('Prompt of the stage; only with --show-prompt, and if the stage is not done', {
      text: orNull(text('Text of the prompt as it would be sent, with secrets redacted'), 'it is not known yet'),
      waits_for: texts('Names of the stages that must run first, because the prompt will contain their answers'),
    }),
  },
  ['left_out', 'prompt'],
);

export const FORECAST: Schema = object(
  'Output of tollgate run --dry-run --json',
  {
    schema: version,
    task_id: text('Id of the task'),
    stages: list('Stages of the task, in order', stage),
    budget: record<Forecast['budget']>('Paid calls of the task', {
      used: count('Number of paid calls so far'),
      total: count('Maximum number of paid calls'),
    }),
    notes: texts('Remarks about the run'),
    next_actions: nextActions(),
  },
  ['next_actions'],
);
