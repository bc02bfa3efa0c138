// Defines the schemas of the two files that users write, manifest.yaml and tollgate.yaml, from their readers, with help texts.

import { z } from 'zod';
import { MANIFEST_FIELDS } from '../../../policies/manifest/manifest-fields.ts';
import { MANIFEST } from '../../../state/project/manifest-schema.ts';
import { PROJECT as PROJECT_SHAPE } from '../../../state/project/project-schema.ts';
import type { Schema } from './parts.ts';

interface Node extends Record<string, unknown> {
  properties?: Record<string, Node>;
  items?: Node;
  anyOf?: Node[];
  additionalProperties?: Node | false;
}

export const TASK: Schema = described(
  rawTask(),
  'A task: manifest.yaml (or manifest.json) in its folder',
  (field) => MANIFEST_FIELDS[field]?.about,
);

/** Every field of the manifest, as `MANIFEST_FIELDS` names them. */
export const taskFields = (): string[] => [...fieldsOf(rawTask(), '')].map(([field]) => field);

/** Used if the schema itself has no description. */
const PROJECT_HELP: Record<string, string> = {
  $schema: 'The path of PROJECT_SCHEMA.json, for an editor; absent if none is used',
  'prices{}.input': 'Price of input tokens, in US dollars for a million tokens',
  'prices{}.cached':
    'Price of input tokens that came from a cache, in US dollars for a million tokens; the price of input if absent',
  'prices{}.output': 'Price of output tokens, in US dollars for a million tokens',
};

export const PROJECT: Schema = described(
  z.toJSONSchema(PROJECT_SHAPE, { io: 'input' }) as Node,
  'Settings of a project for all of its tasks: tollgate.yaml in the root of the project',
  (field) => PROJECT_HELP[field] ?? MANIFEST_FIELDS[field.replace(/^pipelines\{\}\[\]/, 'stages[]')]?.about,
);

function described(schema: Node, description: string, help: (field: string) => string | undefined): Schema {
  for (const [field, node] of fieldsOf(schema, '')) node.description ??= help(field);
  const { $schema: _, ...rest } = schema;
  return { description, ...rest };
}

function rawTask(): Node {
  return z.toJSONSchema(MANIFEST, { io: 'input' }) as Node;
}

/** `[]` is an item of a list, `{}` a value of a map. */
function* fieldsOf(node: Node, prefix: string): Generator<[field: string, node: Node]> {
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    const field = `${prefix}${name}`;
    yield [field, child];
    yield* within(child, field);
  }
}

function* within(node: Node, field: string): Generator<[field: string, node: Node]> {
  yield* fieldsOf(node, `${field}.`);
  for (const branch of node.anyOf ?? []) yield* within(branch, field);
  if (node.items !== undefined) yield* within(node.items, `${field}[]`);
  if (node.additionalProperties) yield* within(node.additionalProperties, `${field}{}`);
}
