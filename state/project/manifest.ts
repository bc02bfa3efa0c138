// Reads a manifest: its fields, and the stages that it names itself or by a pipeline.

import path from 'node:path';
import type { ProjectFile } from '../../policies/manifest/project-file.ts';
import type { StagePlace } from '../../policies/manifest/stage-place.ts';
import { completeManifest } from './complete-manifest.ts';
import type { GivenManifest, Manifest, Stage } from './manifest-schema.ts';
import { isPlainManifest } from './plain-manifest.ts';
import type { SoundFiles } from './sound-files.ts';
import { expandStages, nameOf, PARTS } from './stages.ts';
import { unknownTool, untrustedTool } from './tool-names.ts';
import { readYaml, type YamlRead } from './yaml-file.ts';

type ManifestRead =
  | { how: 'read'; manifest: Manifest; stages: Stage[]; placeOf: PlaceOf }
  | { how: 'invalid'; message: string };

/**
 * Where a field of a stage, or of none of them, is in its file, `<file>:<line>`; where it is not set, what would hold it.
 * `within` is a path inside the field.
 */
export type PlaceOf = (
  stage: string | null,
  field: keyof Stage | keyof GivenManifest,
  within?: readonly string[],
) => Stands;

interface Stands extends StagePlace {
  isSet: boolean;
  /** Such as `stages[0].schema.type`. */
  path: string;
}

/**
 * @param trust what the caller says of the workspace; the manifest may say it too.
 * @param sound the manifests that need not be looked at by the schema again.
 */
export async function readManifest(
  file: string,
  project: ProjectFile,
  trust: 'trusted' | 'untrusted',
  sound: SoundFiles | null = null,
): Promise<ManifestRead> {
  const given = await readGiven(file, sound);
  if (given.how === 'invalid') return given;
  const trusted = given.value.security.trust_workspace ? 'trusted' : trust;
  const stranger = strangeTool(file, given, project, trusted);
  if (stranger !== null) return { how: 'invalid', message: stranger };
  const expanded = expandStages(given.value, project, trusted);
  if (expanded.how === 'invalid') return { how: 'invalid', message: `${file}: ${expanded.message}` };
  const { stages } = expanded;
  return { how: 'read', manifest: { ...given.value, stages }, stages, placeOf: placesIn(file, given, stages) };
}

/** A stage's CLI that nobody knows, or that only a trusted workspace may describe. */
function strangeTool(
  file: string,
  { value, lineOf }: Given & { how: 'read' },
  { tools }: ProjectFile,
  trust: 'trusted' | 'untrusted',
): string | null {
  const parts = PARTS.flatMap((part) => {
    const given = value.supervise?.[part];
    const { tool } = given ?? {};
    return tool === undefined
      ? []
      : [{ at: ['supervise', part], called: `supervise.${part}`, given: { tool, fallback: [] } }];
  });
  const listed = value.stages.map((given, i) => ({ at: ['stages', i], called: `stages[${i}]`, given }));
  for (const { at, called, given } of [...listed, ...parts])
    for (const [n, { tool }] of [{ tool: given.tool }, ...given.fallback].entries()) {
      const field = n === 0 ? [...at, 'tool'] : [...at, 'fallback', n - 1, 'tool'];
      const message = unknownTool(tool, Object.keys(tools)) ?? untrustedTool(tool, trust);
      if (message !== null)
        return `${file}:${lineOf(field)}: ${called}.${n === 0 ? '' : `fallback[${n - 1}].`}tool ${message}`;
    }
  return null;
}

function placesIn(file: string, { value, lineOf, has }: Given & { how: 'read' }, stages: readonly Stage[]): PlaceOf {
  return (stage, field, within = []) => {
    const index = value.stages.findIndex((one) => nameOf(one) === stage);
    const steps =
      stage === null ? [field, ...within] : index === -1 ? ['pipeline'] : ['stages', index, field, ...within];
    const at = `${file}:${lineOf(steps)}`;
    const path = steps
      .map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${step}`))
      .join('');
    const ofPipeline = index === -1 ? stages.find(({ name }) => name === stage) : undefined;
    if (ofPipeline === undefined) return { at, path, isSet: has(steps), unlisted: null };
    const list = has(['stages']) ? `${file}:${lineOf(['stages'])}` : null;
    return { at, path, isSet: false, unlisted: { file, list, fields: namingFields(ofPipeline) } };
  };
}

/** As YAML, what an entry must say to be of that name. */
const namingFields = ({ id, tool, role }: Stage): string =>
  `${id === undefined ? '' : `id: ${JSON.stringify(id)}, `}tool: ${tool}, role: ${role}`;

/** The paid-call budget alone, for a call that charges a task which no run has opened yet. */
export async function readBudget(
  file: string,
): Promise<{ how: 'read'; calls: number } | { how: 'invalid'; message: string }> {
  const read = await readGiven(file);
  return read.how === 'invalid' ? read : { how: 'read', calls: read.value.budgets.paid_call_budget };
}

type Given = Extract<YamlRead<GivenManifest>, { how: 'read' }> | { how: 'invalid'; message: string };

async function readGiven(file: string, sound: SoundFiles | null = null): Promise<Given> {
  const schema = async () => (await import('./manifest-schema.ts')).MANIFEST;
  const known = sound === null ? null : { files: sound, isPlain: isPlainManifest, complete: completeManifest };
  const read = await readYaml(file, 'a manifest', schema, known);
  if (read.how === 'invalid') return read;
  const folder = path.basename(path.dirname(path.resolve(file)));
  const id = read.value.task_id;
  if (id === folder) return read;
  const message = `${file}: task_id is "${id}", but its folder is "${folder}"; make them the same`;
  return { how: 'invalid', message };
}
