// Runs a workflow of GitHub Actions job by job: each with its own checkout, and with the effect of the actions of others.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { filled, isTrue, type JobEnd, readJobs, runJob, type Values } from './github-job.ts';

interface WorkflowSettings {
  /** The folder for what outlives a job: caches over all runs, artifacts of this one. */
  store: string;
  /** Different for each run. */
  runId: string;
  /** A bare repository, and the commit that is checked out. */
  origin: string;
  commit: string;
  env: Values;
  /** `github`, `secrets`, `inputs`. */
  contexts: Record<string, object>;
}

interface UsedAction {
  name: string;
  inputs: Values;
}

/** A skipped job is null. */
type WorkflowEnd = Record<string, { ok: boolean; log: string; given: Values; used: UsedAction[]; at: string } | null>;

export async function runWorkflow(file: string, settings: WorkflowSettings): Promise<WorkflowEnd> {
  const ends: WorkflowEnd = {};
  const run = path.join(settings.store, `run-${settings.runId}`);
  for (const [name, job] of Object.entries(readJobs(file))) {
    const before = [job.needs ?? []].flat();
    const needs = Object.fromEntries(before.map((each) => [each, { outputs: ends[each]?.given ?? {} }]));
    const temporary = path.join(run, name, 'temporary');
    const contexts = { ...settings.contexts, needs, runner: { temp: temporary } };
    const ok = before.every((each) => ends[each]?.ok === true);
    if (!isTrue(job.if ?? 'success()', contexts, ok)) {
      ends[name] = null;
      continue;
    }
    const at = path.join(run, name, 'work');
    mkdirSync(at, { recursive: true });
    const used: UsedAction[] = [];
    const place = {
      ...settings,
      at,
      artifacts: path.join(run, 'artifacts'),
      caches: path.join(settings.store, 'caches'),
    };
    const uses = (action: string, inputs: Values) => {
      used.push({ name: action, inputs });
      STAND_INS[action]!(place, inputs);
    };
    const end: JobEnd = await runJob(job, { workspace: at, temporary, env: settings.env, contexts, uses });
    if (end.ok) for (const { name: action, inputs } of used) if (action === 'actions/cache') save(place, inputs);
    const given = filled(job.outputs, { ...contexts, steps: end.outputs });
    ends[name] = { ok: end.ok, log: end.log, given, used, at };
  }
  return ends;
}

interface Place extends WorkflowSettings {
  /** The workspace. */
  at: string;
  artifacts: string;
  caches: string;
}

/** The actions of others that the examples use, reduced to their relevant effects. */
export const STAND_INS: Record<string, (place: Place, inputs: Values) => void> = {
  'actions/checkout': ({ origin, commit, at }) => {
    execFileSync('git', ['clone', '--quiet', origin, at]);
    execFileSync('git', ['-C', at, 'checkout', '--quiet', commit]);
  },
  'actions/setup-node': () => {},
  'actions/cache': restore,
  'actions/cache/restore': restore,
  'actions/cache/save': save,
  'actions/upload-artifact': ({ at, artifacts }, { name, path: of }) => {
    const from = path.resolve(at, of!);
    const to = path.join(artifacts, name!, statSync(from).isDirectory() ? '.' : path.basename(from));
    cpSync(from, to, { recursive: true });
  },
  'actions/download-artifact': ({ at, artifacts }, { name, path: to }) =>
    cpSync(path.join(artifacts, name!), path.resolve(at, to!), { recursive: true }),
  'github/codeql-action/upload-sarif': ({ at }, { sarif_file }) => void statSync(path.join(at, sarif_file!)),
};

function restore({ at, caches }: Place, { key, path: of, 'restore-keys': others }: Values): void {
  const kept = existsSync(caches) ? readdirSync(caches).sort() : [];
  const found = kept.find((name) => name === key) ?? kept.findLast((name) => others && name.startsWith(others));
  if (found) cpSync(path.join(caches, found), path.join(at, of!), { recursive: true });
}

function save({ at, caches }: Place, { key, path: of }: Values): void {
  cpSync(path.join(at, of!), path.join(caches, key!), { recursive: true });
}
