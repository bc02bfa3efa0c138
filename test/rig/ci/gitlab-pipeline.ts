// Runs a GitLab pipeline job by job: rules, extends, variables, script and after_script, caches and artifacts.

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

type Values = Record<string, string>;

interface Job {
  extends?: string;
  needs?: string[];
  rules?: { if: string; when?: string }[];
  variables?: Values;
  cache?: { key: string; paths: string[]; when?: string };
  script?: string[];
  after_script?: string[];
  artifacts?: { paths: string[]; when?: string; reports?: Values };
}

interface PipelineSettings {
  /** The folder for what outlives a job: caches over all runs, artifacts of this one. */
  store: string;
  /** A bare repository, and the commit that is checked out. */
  origin: string;
  commit: string;
  /** CI_PIPELINE_ID has a different value for each run. */
  env: Values;
}

/** A skipped job is null. */
type PipelineEnd = Record<string, { ok: boolean; log: string; at: string } | null>;

export const readPipeline = (file: string): Record<string, Job> =>
  Object.fromEntries(
    Object.entries(parse(readFileSync(file, 'utf8')) as Record<string, Job>)
      .filter(([name]) => name !== 'stages' && !name.startsWith('.'))
      .map(([name, job]) => [name, { ...(job.extends ? extended(file, job.extends) : {}), ...job }]),
  );

const extended = (file: string, name: string): Job => parse(readFileSync(file, 'utf8'))[name] as Job;

export async function runPipeline(file: string, settings: PipelineSettings): Promise<PipelineEnd> {
  const { store, origin, commit } = settings;
  const run = path.join(store, `run-${settings.env.CI_PIPELINE_ID}`);
  const ends: PipelineEnd = {};
  for (const [name, job] of Object.entries(readPipeline(file))) {
    const env: Values = { ...settings.env };
    const rule = (job.rules ?? [{ if: '"a" == "a"' }]).find(({ if: condition }) => isMet(condition, env));
    const before = job.needs ?? [];
    const ok = before.every((each) => ends[each]?.ok === true);
    if (rule === undefined || (!ok && rule.when !== 'always')) {
      ends[name] = null;
      continue;
    }
    for (const [variable, value] of Object.entries(job.variables ?? {})) env[variable] = expanded(String(value), env);
    const at = path.join(run, name);
    mkdirSync(at, { recursive: true });
    if (env.GIT_STRATEGY !== 'none') {
      execFileSync('git', ['clone', '--quiet', origin, at]);
      execFileSync('git', ['-C', at, 'checkout', '--quiet', commit]);
    }
    for (const each of before) copyIfAny(path.join(run, 'artifacts', each), at);
    const cache = job.cache && path.join(store, 'caches', expanded(job.cache.key, env));
    for (const each of job.cache?.paths ?? []) copyIfAny(path.join(cache!, each), path.join(at, each));
    const main = await script(job.script ?? [], at, env);
    const after = await script(job.after_script ?? [], at, env);
    const isOk = main.code === 0;
    if (isOk || job.cache?.when === 'always')
      for (const each of job.cache?.paths ?? []) copyIfAny(path.join(at, each), path.join(cache!, each));
    const { paths = [], reports = {}, when } = job.artifacts ?? {};
    if (isOk || when === 'always')
      for (const each of [...paths, ...Object.values(reports)])
        copyIfAny(path.join(at, each), path.join(run, 'artifacts', name, each));
    ends[name] = { ok: isOk, log: `${main.log}${after.log}`, at };
  }
  return ends;
}

function copyIfAny(from: string, to: string): void {
  if (existsSync(from)) cpSync(from, to, { recursive: true });
}

const expanded = (text: string, env: Values): string => text.replace(/\$(\w+)/g, (_, name) => env[name] ?? '');

/** Evaluates `$A == "x" && $B`: comparisons, and variables that are set. */
function isMet(condition: string, env: Values): boolean {
  const source = condition.replace(/\$(\w+)/g, (_, name) => JSON.stringify(env[name] ?? ''));
  return Boolean(new Function(`return ${source}`)());
}

/** Runs all lines in one shell, which ends at the first failure. */
async function script(lines: string[], cwd: string, env: Values): Promise<{ code: number; log: string }> {
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', lines.join('\n')], {
    ...{ cwd, env: { ...env, GITLAB_CI: 'true' }, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (log += text));
  const code = await new Promise<number>((resolve) => child.on('close', (ended) => resolve(ended ?? 1)));
  return { code, log };
}
