// Defines the schema of what `tollgate run --dry-run` prints with --json.

import type { Forecast, ShownPrompt } from '../../../loops/run/forecast.ts';
import type { PartSize } from '../../../policies/prompt/part.ts';
import { count, hash, list, nextActions, one, orNull, record, type Schema, text, texts, version } from './parts.ts';

const part = record<PartSize>(
  'One part of the prompt',
  {
    kind: text('What it is'),
    name: text('Its name'),
    chars: count('How many characters it has'),
    kept: count('How many of them are in the prompt'),
    sections: texts('Headings of the request, where it has several of one level'),
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
  'One stage',
  {
    stage: text('Its name'),
    state: one('What a run would do; prompt_changed: refuse until the user decides', [
      'to_run',
      'done_earlier',
      'prompt_changed',
    ]),
    argv: texts('The CLI and its arguments'),
    prompt_chars: count('Characters of the prompt'),
    prompt_sha256: hash('Of the prompt'),
    digest: text('How it is shortened'),
    parts: list('What the prompt is made of', part),
    left_out: list(
      'What the digest leaves out of the prompt',
      object(
        'One part',
        { what: text('Which'), kept: count('Characters that are in it'), chars: count('All of them') },
        [],
      ),
    ),
    acceptance_commands: texts('What the gate would run'),
    warnings: texts('What is unusual'),
    prompt: record<ShownPrompt>('With --show-prompt, of a stage that would be called', {
      text: orNull(text('As it would be sent'), 'it is not known yet'),
      waits_for: texts('Stages to run whose answers it will hold'),
    }),
  },
  ['left_out', 'prompt'],
);

export const FORECAST: Schema = object(
  'What tollgate run --dry-run --json prints',
  {
    schema: version,
    task_id: text('The task'),
    stages: list('The stages, in order', stage),
    budget: record<Forecast['budget']>('Paid calls', { used: count('So far'), total: count('Allowed in all') }),
    notes: texts('What is worth knowing'),
    next_actions: nextActions(),
  },
  ['next_actions'],
);
