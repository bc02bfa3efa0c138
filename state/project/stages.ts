// Expands the stages of a manifest: those that it lists, or those of its pipeline, refined by what it lists.

import { PIPELINES } from '../../policies/manifest/pipelines.ts';
import type { ProjectFile } from '../../policies/manifest/project-file.ts';
import { nearest } from '../../policies/text/nearest.ts';
import type { GivenManifest, GivenStage, Stage } from './manifest-schema.ts';

type ExpandedStages = { how: 'read'; stages: Stage[] } | { how: 'invalid'; messages: string[] };

/** @param trust The project's own pipelines count only in a trusted workspace. */
export function expandStages(
  { pipeline, stages, supervise }: Pick<GivenManifest, 'pipeline' | 'stages' | 'supervise'>,
  { pipelines }: ProjectFile,
  trust: 'trusted' | 'untrusted',
): ExpandedStages {
  if (supervise !== undefined)
    return pipeline === undefined && stages.length === 0
      ? nameStages(PARTS.map((role) => ({ ...STAGE_DEFAULTS, ...supervise[role], role, id: role })))
      : invalid(
          'it has supervise beside stages or a pipeline; a task is either run or supervised, so keep one of them',
        );
  if (pipeline === undefined)
    return stages.length > 0
      ? nameStages(stages)
      : invalid('it has neither stages nor a pipeline, nor supervise; give it one of them');
  const known = { ...pipelines, ...PIPELINES } as Record<string, readonly Partial<GivenStage>[]>;
  const found = Object.hasOwn(known, pipeline) ? known[pipeline]! : null;
  if (found === null) {
    const near = nearest(pipeline, Object.keys(known));
    const hint = near === null ? `the pipelines are ${Object.keys(known).join(', ')}` : `did you mean ${near}?`;
    return invalid(`there is no pipeline "${pipeline}"; ${hint}`);
  }
  if (trust === 'untrusted' && !Object.hasOwn(PIPELINES, pipeline))
    return invalid(
      `the pipeline "${pipeline}" is one of tollgate.yaml, which counts only in a trusted workspace; use --trust-workspace, or trust it for good with tollgate trust`,
    );
  const expanded = nameStages(found.map((stage) => ({ ...STAGE_DEFAULTS, ...stage }) as GivenStage));
  return expanded.how === 'invalid' ? expanded : refine(pipeline, expanded.stages, stages);
}

/** The parts of a supervised task, each a stage with the name of its role. */
export const PARTS = ['worker', 'reasoner'] as const;

/** A stage that is listed beside a pipeline changes the one of its name. */
function refine(pipeline: string, stages: readonly Stage[], given: readonly GivenStage[]): ExpandedStages {
  const changes = new Map(given.map((stage) => [nameOf(stage), stage]));
  const unknown = [...changes.keys()].filter((name) => !stages.some((stage) => stage.name === name));
  if (unknown.length > 0)
    return {
      how: 'invalid',
      messages: unknown.map(
        (name) =>
          `the pipeline ${pipeline} has no stage "${name}" to refine; its stages are ${stages.map((stage) => stage.name).join(', ')}`,
      ),
    };
  return {
    how: 'read',
    stages: stages.map((stage) => named({ ...stage, ...saidOf(changes.get(stage.name)) }, stage.name)),
  };
}

/** Fields that only the schema filled in change nothing. */
function saidOf(given: GivenStage | undefined): Partial<GivenStage> {
  const filled = STAGE_DEFAULTS as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(given ?? {}).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(filled[field])),
  );
}

/** A fallback that names only an account is to the same CLI. */
const named = (stage: GivenStage, name: string): Stage => ({
  ...stage,
  name,
  fallback: stage.fallback.map((one) => ({ ...one, tool: one.tool ?? stage.tool })),
});

/** A stage is named by its id, otherwise `<tool>_<role>`. */
function nameStages(given: readonly GivenStage[]): ExpandedStages {
  const stages = given.map((stage) => named(stage, nameOf(stage)));
  const twice = [...new Set(stages.map(({ name }) => name))].filter(
    (name) => stages.filter((stage) => stage.name === name).length > 1,
  );
  const mistakes = [
    ...stages.flatMap((stage) => {
      const again = standInAgain(stage);
      return again === null
        ? []
        : [`stage ${stage.name}: ${again} is named twice, or is the tool of the stage itself; its quota is the same`];
    }),
    ...twice.map((name) => `two stages are called "${name}"; give one an id of its own`),
  ];
  return mistakes.length === 0 ? { how: 'read', stages } : { how: 'invalid', messages: mistakes };
}

/** A fallback to the same tool, account and model would meet the same limit, and cost again. */
function standInAgain({ tool, account, model, fallback }: Stage): string | null {
  const seen = new Set<string>();
  for (const one of [{ tool, account, model }, ...fallback]) {
    const account = one.account === undefined ? '' : `(account ${one.account})`;
    const key = [one.tool, account, one.model ?? ''].filter(Boolean).join(' ');
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return null;
}

export const nameOf = ({ id, tool, role }: GivenStage): string => id ?? `${tool}_${role}`;

/** The schema's defaults; a test keeps the two equal. */
export const STAGE_DEFAULTS = { timeout_ms: 30 * 60_000, may_be_empty: false, fallback: [] as GivenStage['fallback'] };

const invalid = (message: string): ExpandedStages => ({ how: 'invalid', messages: [message] });
