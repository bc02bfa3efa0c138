// The schemas of the two files that people write, manifest.yaml and tollgate.yaml.

import { z } from 'zod';
import { MANIFEST_FIELDS } from '../../../policies/manifest-fields.ts';
import type { ProjectFile, ProjectRole } from '../../../policies/project-file.ts';
import { MANIFEST } from '../../../state/manifest-schema.ts';
import { amount, list, map, one, record, type Schema, text, texts, whole } from './parts.ts';

interface Node extends Record<string, unknown> {
  properties?: Record<string, Node>;
  items?: Node;
}

/** As the reader of manifests has it, with the help of `MANIFEST_FIELDS` for each field. */
export const TASK: Schema = described();

/** Every field of the manifest, as `MANIFEST_FIELDS` names them. */
export const taskFields = (): string[] => [...fieldsOf(rawTask(), '')].map(([field]) => field);

function described(): Schema {
  const schema = rawTask();
  for (const [field, node] of fieldsOf(schema, '')) {
    const help = MANIFEST_FIELDS[field];
    if (help !== undefined) node.description = help.about;
  }
  const { $schema: _, ...rest } = schema;
  return { description: 'A task: manifest.yaml (or manifest.json) in its folder', ...rest };
}

function rawTask(): Node {
  return z.toJSONSchema(MANIFEST, { io: 'input' }) as Node;
}

function* fieldsOf(node: Node, prefix: string): Generator<[field: string, node: Node]> {
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    const field = `${prefix}${name}`;
    yield [field, child];
    yield* fieldsOf(child, `${field}.`);
    if (child.items !== undefined) yield* fieldsOf(child.items, `${field}[].`);
  }
}

const stages = (TASK.properties as Record<string, Node>).stages!.items!;

export const PROJECT: Schema = record<Partial<ProjectFile>>(
  "What a project says for all of its tasks: tollgate.yaml at the project's root",
  {
    rules: text("A file of rules that stand before every prompt, from the project's root"),
    roles: map(
      'Rows that change a built-in role, or add one',
      record<ProjectRole>(
        'One role',
        {
          template: text("A file with what the role is told, from the project's root"),
          access: one('What it may do where the stage does not say', ['read', 'write']),
          requires: texts('Headings that its answer must have'),
          min_lines: { ...whole('Lines with text that its answer must have at least'), minimum: 0 },
          reads: texts('Roles whose answers of the task are put into its prompt'),
        },
        ['template', 'access', 'requires', 'min_lines', 'reads'],
      ),
    ),
    pipelines: map("The project's own pipelines, by name", list('Stages as in a manifest', stages)),
    prices: map(
      'US dollars for a million tokens, by model',
      record<ProjectFile['prices'][string]>(
        'One model',
        {
          input: amount('Of the prompts'),
          cached: amount('Of what came from a cache'),
          output: amount('Of the answers'),
        },
        ['cached'],
      ),
    ),
  },
  ['rules', 'roles', 'pipelines', 'prices'],
);
