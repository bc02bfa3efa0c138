// Reads a manifest: its fields, and the stages that it lists itself or names by a pipeline.

import path from 'node:path';
import type { ProjectFile } from '../../policies/manifest/project-file.ts';
import { resolveRole } from '../../policies/manifest/resolved-role.ts';
import type { StagePlace } from '../../policies/manifest/stage-place.ts';
import { unknownTool, unsoundTool, untrustedTool } from '../../policies/rules/described-mistakes.ts';
import type { GivenManifest, GivenStage, Manifest, Stage } from './manifest-schema.ts';
import { expandStages, nameOf, PARTS, STAGE_DEFAULTS } from './stages.ts';
import { readYaml, type YamlRead } from './yaml-file.ts';

type ManifestRead =
  /** `mistakes`: the mistakes that remain, so that a command that only reads can still report the rest. */
  | { how: 'read'; manifest: Manifest; stages: Stage[]; placeOf: PlaceOf; mistakes: string[] }
  | { how: 'invalid'; message: string };

/**
 * The place of a field in its file, `<file>:<line>`. If the field is not set, the place of what would contain it. `stage` is null
 * for a field outside the stages. `within` is a path inside the field.
 */
export type PlaceOf = (
  stage: string | null,
  field: keyof Stage | keyof GivenManifest,
  within?: readonly string[],
) => FieldPlace;

interface FieldPlace extends StagePlace {
  isSet: boolean;
  /** Such as `stages[0].schema.type`. */
  path: string;
}

/** @param said the caller's trust; the manifest's counts too, unless refused. @param draft the file's future text. */
export async function readManifest(
  file: string,
  project: ProjectFile,
  said: 'trusted' | 'untrusted' | 'refused',
  draft: string | null = null,
): Promise<ManifestRead> {
  const trust = said === 'trusted' ? 'trusted' : 'untrusted';
  const given = await readGiven(file, draft);
  if (given.how === 'invalid') {
    if (given.kind === 'unreadable') return given;
    const more = [
      ...idMistakes(file, given),
      ...strangeTools(file, given, project, trust),
      ...stageMistakes(file, given, project, trust),
    ];
    return { how: 'invalid', message: [given.message, ...more].join('\n') };
  }
  if (said === 'refused') given.value.security.trust_workspace = false;
  const trusted = given.value.security.trust_workspace ? 'trusted' : trust;
  const expanded = expandStages(given.value, project, trusted);
  const located = { ...given, data: given.value };
  const mistakes = [
    ...idMistakes(file, located),
    ...strangeTools(file, located, project, trusted),
    ...(expanded.how === 'invalid' ? ofStages(file, located, expanded.messages) : []),
  ];
  if (expanded.how === 'invalid') return { how: 'invalid', message: mistakes.join('\n') };
  const { stages } = expanded;
  const placeOf = placesIn(file, given, stages);
  return { how: 'read', manifest: { ...given.value, stages }, stages, placeOf, mistakes };
}

interface Located {
  data: unknown;
  lineOf(path: readonly PropertyKey[]): number;
}

/** Each CLI of a stage that is unknown, described wrongly, or that only a trusted workspace may describe. */
function strangeTools(
  file: string,
  { data, lineOf }: Located,
  { tools, prefixes, unsound }: ProjectFile,
  trust: 'trusted' | 'untrusted',
): string[] {
  const known = [...Object.keys(tools), ...Object.keys(unsound)];
  return toolsIn(data).flatMap(({ at, tool }) => {
    const message = unknownTool(tool, known) ?? unsoundTool(tool, unsound) ?? untrustedTool(tool, prefixes, trust);
    return message === null ? [] : [`${file}:${lineOf(at)}: ${pathOf(at)} ${message}`];
  });
}

/** Where each CLI is named, in a manifest that may have other mistakes. */
function toolsIn(data: unknown): { at: (string | number)[]; tool: string }[] {
  const { stages, supervise } = (data ?? {}) as { stages?: unknown; supervise?: Record<string, unknown> };
  const listed = Array.isArray(stages)
    ? stages.map((given, i) => ({ at: ['stages', i], given: given as unknown }))
    : [];
  const parts = PARTS.map((part) => ({ at: ['supervise', part], given: supervise?.[part] }));
  return [...listed, ...parts].flatMap(({ at, given }) => {
    const { tool, fallback } = (given ?? {}) as { tool?: unknown; fallback?: unknown };
    const standIns = Array.isArray(fallback) ? (fallback as unknown[]) : [];
    const named = [
      { at: [...at, 'tool'], tool },
      ...standIns.map((one, n) => {
        const { tool } = (one ?? {}) as { tool?: unknown };
        return { at: [...at, 'fallback', n, 'tool'], tool: typeof one === 'string' ? one : tool };
      }),
    ];
    return named.flatMap(({ at, tool }) => (typeof tool === 'string' ? [{ at, tool }] : []));
  });
}

/** Such as `stages[0].tool`. */
const pathOf = (steps: readonly (string | number)[]): string =>
  steps.map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${step}`)).join('');

function placesIn(file: string, { value, lineOf, has }: Given & { how: 'read' }, stages: readonly Stage[]): PlaceOf {
  return (stage, field, within = []) => {
    const index = value.stages.findIndex((one) => nameOf(one) === stage);
    const steps =
      stage === null ? [field, ...within] : index === -1 ? ['pipeline'] : ['stages', index, field, ...within];
    const at = `${file}:${lineOf(steps)}`;
    const path = pathOf(steps);
    const ofPipeline = index === -1 ? stages.find(({ name }) => name === stage) : undefined;
    if (ofPipeline === undefined) return { at, path, isSet: has(steps), unlisted: null };
    const list = has(['stages']) ? `${file}:${lineOf(['stages'])}` : null;
    return { at, path, isSet: false, unlisted: { file, list, fields: namingFields(ofPipeline) } };
  };
}

/** The YAML fields that give an entry that name. */
const namingFields = ({ id, tool, role }: Stage): string =>
  `${id === undefined ? '' : `id: ${JSON.stringify(id)}, `}tool: ${tool}, role: ${role}`;

/** Reads only the budgets, for a call that charges a task outside its runs. */
export async function readBudgets(
  file: string,
): Promise<{ how: 'read'; budgets: GivenManifest['budgets'] } | { how: 'invalid'; message: string }> {
  const read = await readGiven(file);
  if (read.how === 'invalid') return read;
  const [mistake] = idMistakes(file, { ...read, data: read.value });
  return mistake === undefined ? { how: 'read', budgets: read.value.budgets } : { how: 'invalid', message: mistake };
}

type Given = YamlRead<GivenManifest>;

const readGiven = (file: string, draft: string | null = null): Promise<Given> =>
  readYaml(file, 'a manifest', async () => (await import('./manifest-schema.ts')).MANIFEST, draft);

function idMistakes(file: string, { data, lineOf }: Located): string[] {
  const folder = path.basename(path.dirname(path.resolve(file)));
  const { task_id: id } = (data ?? {}) as { task_id?: unknown };
  return typeof id !== 'string' || id === folder
    ? []
    : [`${file}:${lineOf(['task_id'])}: task_id is "${id}", but its folder is "${folder}"; make them the same`];
}

/** In a manifest with other mistakes: what is wrong with its pipeline, its roles and the names of its stages. */
function stageMistakes(file: string, located: Located, project: ProjectFile, trust: 'trusted' | 'untrusted'): string[] {
  const { pipeline, stages, supervise } = (located.data ?? {}) as Record<string, unknown>;
  const given = (Array.isArray(stages) ? (stages as Partial<GivenStage>[]) : []).filter(
    (stage) => typeof stage?.tool === 'string' && typeof stage.role === 'string',
  ) as GivenStage[];
  if (supervise !== undefined || (typeof pipeline !== 'string' && given.length === 0)) return [];
  const named = given.map(({ id, tool, role, prompt }) => ({
    ...{ ...STAGE_DEFAULTS, tool, role },
    ...(typeof id === 'string' ? { id } : {}),
    ...(prompt === undefined ? {} : { prompt: String(prompt) }),
  }));
  const roles = named.flatMap((stage) => {
    const resolved = resolveRole({ ...stage, name: nameOf(stage) }, project, trust);
    return resolved.how === 'invalid' ? [resolved.message] : [];
  });
  const wanted = typeof pipeline === 'string' ? { pipeline, stages: [] } : { stages: named };
  const expanded = expandStages(wanted, project, trust);
  return ofStages(file, located, expanded.how === 'invalid' ? [...roles, ...expanded.messages] : roles);
}

/** With the line of what names the stages. */
function ofStages(file: string, { data, lineOf }: Located, messages: readonly string[]): string[] {
  const { pipeline } = (data ?? {}) as { pipeline?: unknown };
  const line = lineOf([typeof pipeline === 'string' ? 'pipeline' : 'stages']);
  return messages.map((message) => `${file}:${line}: ${message}`);
}
