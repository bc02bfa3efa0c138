// Finds the mistakes of a pipeline: by GitLab's own schema, and by its linter's rules about names.

import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject } from 'ajv';
import { parse } from 'yaml';

type Jobs = Record<string, { extends?: unknown; stage?: unknown; needs?: unknown } & Record<string, unknown>>;

const SCHEMA = JSON.parse(readFileSync('test/rig/published/gitlab-ci.schema.json', 'utf8'));
const isValid = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false, validateFormats: false }).compile(
  SCHEMA,
);

/** @returns none if GitLab would accept it. */
export function pipelineMistakes(text: string): string[] {
  const written = parse(text) as Jobs;
  const whole = merged(written);
  const valid = isValid(whole);
  const mistakes = valid ? [] : isValid.errors!.map(wordsOf);
  return [...mistakes, ...nameMistakes(whole, written, stagesIn(written))];
}

const wordsOf = ({ instancePath, message, params }: ErrorObject): string =>
  `${instancePath} ${message} ${JSON.stringify(params)}`;

/** The stages of a pipeline that names none. */
const STAGES = ['.pre', 'build', 'test', 'deploy', '.post'];

const stagesIn = ({ stages }: Jobs): string[] => (Array.isArray(stages) ? ['.pre', ...stages, '.post'] : STAGES);

/**
 * The schema does not check a job whose name begins with a dot. It counts in the jobs that extend it, and is merged into them.
 */
const merged = (written: Jobs): Jobs =>
  Object.fromEntries(
    Object.entries(written).map(([name, job]) => {
      const base = typeof job.extends === 'string' ? written[job.extends] : undefined;
      return [name, base === undefined ? job : { ...base, ...job }];
    }),
  );

/** The keywords of a pipeline that are not jobs. */
const GLOBAL = new Set(['stages', 'default', 'include', 'workflow', 'variables', 'spec', 'cache', 'image', 'services']);

const WORK = ['script', 'run', 'trigger'];

function nameMistakes(whole: Jobs, written: Jobs, stages: readonly string[]): string[] {
  const jobs = Object.entries(whole).filter(([name]) => !GLOBAL.has(name) && !name.startsWith('.'));
  const stageOf = (name: unknown) => stages.indexOf(String(whole[String(name)]?.stage ?? 'test'));
  return jobs.flatMap(([name, job]) => [
    ...(WORK.some((word) => word in job) ? [] : [`${name} has no script, and nothing else to do`]),
    ...(stageOf(name) === -1 ? [`${name}: there is no stage ${job.stage ?? 'test'}`] : []),
    ...[job.extends ?? []]
      .flat()
      .flatMap((base) => (String(base) in written ? [] : [`${name} extends ${base}, which is not there`])),
    ...[job.needs ?? []]
      .flat()
      .flatMap((need) =>
        typeof need !== 'string' || (jobs.some(([other]) => other === need) && stageOf(need) <= stageOf(name))
          ? []
          : [`${name} needs ${need}, which is no job before it`],
      ),
  ]);
}
