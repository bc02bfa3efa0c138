// Runs a job of GitHub Actions as a runner does: steps in order, tollgate's action, outputs from step to step.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

export type Values = Record<string, string>;

interface Step {
  id?: string;
  if?: string;
  uses?: string;
  run?: string;
  env?: Values;
  with?: Values;
  'working-directory'?: string;
}

export interface Job {
  if?: string;
  needs?: string | string[];
  outputs?: Values;
  steps: Step[];
}

interface Action {
  inputs: Record<string, { default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { steps: Step[] };
}

interface JobSettings {
  /** The checkout. */
  workspace: string;
  /** The folder for the files of the steps. */
  temporary: string;
  env: Values;
  /** `github`, `secrets` and so on. */
  contexts: Record<string, unknown>;
  /** Plays an action of others as it would work here. */
  uses?(name: string, inputs: Values): void | Promise<void>;
  /** Called with each process, so that the test can end it as a runner does. */
  started?(pid: number): void;
}

export interface JobEnd {
  ok: boolean;
  log: string;
  outputs: Record<string, { outputs: Values }>;
}

const ACTION = path.resolve('.');

export const readJobs = (file: string): Record<string, Job> => parse(readFileSync(file, 'utf8')).jobs;

/** Runs its steps with `bash -eo pipefail`, which is the meaning of `shell: bash` there. */
export async function runJob(job: Job, settings: JobSettings): Promise<JobEnd> {
  const run = new Run(settings);
  await run.steps(job.steps, settings.contexts);
  return run;
}

class Run implements JobEnd {
  ok = true;
  log = '';
  outputs: JobEnd['outputs'] = {};
  readonly #path: string[] = [];
  readonly #settings: JobSettings;
  #files = 0;

  constructor(settings: JobSettings) {
    this.#settings = settings;
  }

  async steps(steps: readonly Step[], outer: object): Promise<JobEnd['outputs']> {
    const done: JobEnd['outputs'] = {};
    for (const step of steps) {
      const contexts = { ...outer, steps: done };
      if (!isTrue(step.if ?? 'success()', contexts, this.ok)) continue;
      const outputs = await this.#step(step, contexts);
      if (step.id) done[step.id] = { outputs };
    }
    this.outputs = done;
    return done;
  }

  async #step(step: Step, contexts: object): Promise<Values> {
    const inputs = filled(step.with, contexts);
    if (step.run !== undefined) return this.#shell(step, contexts);
    if (step.uses?.startsWith('OWNER/tollgate@')) return this.#ours(inputs, contexts);
    await this.#settings.uses?.(step.uses!.replace(/@.*/, ''), inputs);
    return {};
  }

  async #ours(given: Values, contexts: object): Promise<Values> {
    const action = parse(readFileSync(path.join(ACTION, 'action.yml'), 'utf8')) as Action;
    const inputs = Object.fromEntries(
      Object.entries(action.inputs).map(([name, row]) => [name, given[name] ?? row.default ?? '']),
    );
    const github = { ...(contexts as { github?: object }).github, action_path: ACTION };
    const steps = await this.steps(action.runs.steps, { ...contexts, inputs, github });
    const named = Object.entries(action.outputs).map(([name, { value }]) => [name, value] as const);
    return filled(Object.fromEntries(named), { inputs, steps });
  }

  async #shell(step: Step, contexts: object): Promise<Values> {
    const { workspace, temporary, env, started } = this.#settings;
    mkdirSync(temporary, { recursive: true });
    this.#files += 1;
    const files = Object.fromEntries(
      ['GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY', 'GITHUB_PATH', 'GITHUB_ENV'].map((name) => {
        const file = path.join(temporary, `${name}_${this.#files}`);
        writeFileSync(file, '');
        return [name, file];
      }),
    );
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run!], {
      cwd: path.join(workspace, filled({ at: step['working-directory'] ?? '.' }, contexts).at!),
      env: {
        ...env,
        ...filled(step.env, contexts),
        ...files,
        GITHUB_ACTIONS: 'true',
        RUNNER_TEMP: temporary,
        PATH: [...this.#path, env.PATH].join(':'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    started?.(child.pid!);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (this.log += text));
    const code = await new Promise((resolve) => child.on('close', resolve));
    if (code !== 0) this.ok = false;
    this.#path.unshift(...readFileSync(files.GITHUB_PATH!, 'utf8').split('\n').filter(Boolean));
    return outputsIn(readFileSync(files.GITHUB_OUTPUT!, 'utf8'));
  }
}

function outputsIn(text: string): Values {
  const many = [...text.matchAll(/^(\w+)<<(\S+)\n([\s\S]*?)\n\2$/gm)].map(([, name, , value]) => [name!, value!]);
  return Object.fromEntries(many);
}

export const filled = (values: Values = {}, contexts: object): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      String(value).replaceAll(/\$\{\{ ([\w.-]+) \}\}/g, (_, words: string) => lookUp(words, contexts)),
    ]),
  );

function lookUp(words: string, contexts: object): string {
  let value: unknown = contexts;
  for (const word of words.split('.')) value = (value as Record<string, unknown> | undefined)?.[word];
  return value === undefined ? '' : String(value);
}

/**
 * Comparisons, `&&`, `||` and `!` have the same meaning in both languages. A condition without a state function means success.
 */
export function isTrue(condition: string, contexts: object, ok = true): boolean {
  const named = condition.replace(/^\$\{\{(.*)\}\}$/s, '$1');
  const bare = /\b(?:always|success|failure|cancelled)\(\)/.test(named) ? named : `success() && (${named})`;
  const script = bare.replaceAll(/\b[a-z]+(?:\.[\w-]+)+/g, (words) => JSON.stringify(lookUp(words, contexts)));
  const states = [() => true, () => ok, () => !ok, () => false];
  return Boolean(new Function('always', 'success', 'failure', 'cancelled', `return ${script}`)(...states));
}
