// Builds the overviews: what runs, open questions, grouped failures, supervisions, spending, and the machine.

import { groupFailures } from '../../../loops/report/collect.ts';
import type { RunsNow } from '../../../loops/report/now.ts';
import type { TaskRow, TaskSupervision } from '../../../loops/report/task-row.ts';
import { TOOLS } from '../../../policies/facts/tools.ts';
import { PIPELINES } from '../../../policies/manifest/pipelines.ts';
import { NO_PROJECT_FILE } from '../../../policies/manifest/project-file.ts';
import { type BuiltInRole, ROLES, type Role } from '../../../policies/manifest/roles.ts';
import type { DaySpending } from '../../../policies/report/spending.ts';
import { readRepository } from '../../../state/new-task.ts';
import { readProject } from '../../../state/project/project.ts';
import { PARTS } from '../../../state/project/stages.ts';
import { projectRoot } from '../../../state/task-folder.ts';
import { isTrustedProject } from '../../../state/trusted-folders.ts';
import type { Adapter } from '../../../wrappers/adapter.ts';
import { ADAPTERS } from '../../../wrappers/adapters.ts';
import { findCli } from '../../../wrappers/cli-search.ts';
import { versionOfPackage } from '../../../wrappers/cli-version.ts';
import { homeOf } from '../../../wrappers/home.ts';
import { ownAdapter } from '../../../wrappers/own/adapter.ts';
import type { SignIn } from '../../../wrappers/sign-in.ts';
import type {
  FailuresShown,
  MachineShown,
  NowShown,
  SpentInDay,
  SpentShown,
  SupervisionsShown,
} from '../../contract/overviews.ts';
import type { ChoicesShown } from '../../contract/task.ts';
import { answerWith, type Reply, refusedBy, type ServedProject } from '../project.ts';

/** The number of tasks that do not run; the latest are shown. */
const MOST_RESTING = 50;

/** What the workers of the tasks that ask have said, by task. */
type Said = ReadonlyMap<string, string>;

export function nowShown(
  { tasks, totals }: RunsNow,
  rows: readonly TaskRow[],
  said: Said,
  still_running: NowShown['still_running'],
  heardOf: (folder: string, callId: string) => string | null,
): NowShown {
  const running = tasks.filter(({ state }) => state === 'running');
  const resting = tasks.filter(({ state }) => state !== 'running' && state !== 'never_run').slice(0, MOST_RESTING);
  const questions = rows.flatMap(({ task_id, state, supervision }) =>
    state === 'parked' && supervision?.question
      ? [{ task_id, question: supervision.question, worker_said: said.get(task_id) ?? null }]
      : [],
  );
  const answered = rows.filter(({ state, supervision }) => state !== 'running' && supervision?.answer_waits);
  const waiting = answered.map(({ task_id }) => task_id);
  const calls = running.flatMap(({ folder, running: open }) =>
    open.map(({ call_id: id }) => [id, heardOf(folder, id)]),
  );
  const heard = Object.fromEntries(calls.filter(([, at]) => at !== null));
  return { tasks: [...running, ...resting], totals, questions, answered: waiting, still_running, heard };
}

const TREND_DAYS = 14;

/** @param rows newest first. */
export function failuresShown(rows: readonly TaskRow[], now: Date): FailuresShown {
  const rowOf = new Map(rows.map((row) => [row.task_id, row]));
  const days = lastDays(TREND_DAYS, now);
  return {
    groups: groupFailures(rows).map((group) => {
      const failed = group.task_ids.map((id) => rowOf.get(id)!);
      const onDay = new Map<string, number>();
      for (const { at } of failed) if (at !== null) onDay.set(at.slice(0, 10), (onDay.get(at.slice(0, 10)) ?? 0) + 1);
      return {
        ...group,
        tools: [...new Set(failed.flatMap(({ tool }) => tool ?? []))].sort(),
        count: failed.reduce((sum, { count }) => sum + (count ?? 1), 0),
        trend: days.map((day) => ({ day, tasks: onDay.get(day) ?? 0 })),
        next_action: failed[0]!.next_action,
      };
    }),
  };
}

export function supervisionsShown(rows: readonly TaskRow[], said: Said): SupervisionsShown {
  return {
    supervisions: rows.flatMap(({ task_id, state, at, supervision }) => {
      if (supervision === null) return [];
      const { question, answer_waits, instruction, iterations } = supervision;
      const errors = errorsIn(supervision);
      const worker_said = said.get(task_id) ?? null;
      const many = iterations.length;
      return [{ task_id, state, question, worker_said, answer_waits, instruction, errors, iterations: many, at }];
    }),
  };
}

export const errorsIn = ({ iterations }: TaskSupervision): number =>
  Number.parseInt(iterations.at(-1)?.errors ?? '0', 10) || 0;

/** Twelve whole months. */
const SPENT_DAYS = 366;
const DAY_MS = 86_400_000;

/** As `2026-11-25` in UTC, the oldest first; the last is today. */
const lastDays = (n: number, now: Date): string[] =>
  Array.from({ length: n }, (_, at) => new Date(now.getTime() - (n - 1 - at) * DAY_MS).toISOString().slice(0, 10));

export function spentShown(spent: readonly DaySpending[], now: Date): SpentShown {
  const all = lastDays(SPENT_DAYS, now);
  const first = spent.reduce((earliest, { day }) => (day < earliest ? day : earliest), all.at(-1)!);
  const days = new Map<string, SpentShown['days'][number]['by_tool']>(
    all.filter((day) => day >= first).map((day) => [day, {}]),
  );
  const tools = new Set<string>();
  for (const { day, tool, ...more } of spent) {
    const of = days.get(day);
    if (of === undefined) continue;
    tools.add(tool);
    const sum = Object.hasOwn(of, tool) ? of[tool]! : NOTHING_SPENT;
    of[tool] = {
      calls: sum.calls + more.calls,
      tokens: sum.tokens + more.tokens,
      calls_without_tokens: sum.calls_without_tokens + more.calls_without_tokens,
      usd: sum.usd + more.usd,
      calls_without_price: sum.calls_without_price + more.calls_without_price,
    };
  }
  return { tools: [...tools].sort(), days: [...days].map(([day, by_tool]) => ({ day, by_tool })) };
}

const NOTHING_SPENT: SpentInDay = { calls: 0, tokens: 0, calls_without_tokens: 0, usd: 0, calls_without_price: 0 };

/** The state of the machine from preflight, and of each CLI: its path, its version, and its sign-in. */
export async function machineShown({ cwd, environment, commands }: ServedProject): Promise<Reply> {
  const checked = await commands.read(['preflight', '--quick']);
  if (!Array.isArray(checked.object.findings)) return refusedBy(checked);
  const surroundings = { environment, home: homeOf(environment) ?? cwd, cwd };
  const clis = TOOLS.map((tool) => {
    const { binary, packageName, signIn } = ADAPTERS[tool];
    const path = findCli(binary, surroundings, projectRoot(cwd))?.file ?? null;
    const version = path === null ? null : versionOfPackage(path, packageName);
    return { tool, version, path, signed_in: signInWords(signIn(surroundings)) };
  });
  const shown: MachineShown = { findings: checked.object.findings as MachineShown['findings'], clis };
  return answerWith(shown);
}

/** What a new task can be made of: the CLIs that are installed here, and what the project adds, if it is trusted. */
export async function choicesShown(project: ServedProject): Promise<Reply> {
  const root = projectRoot(project.cwd);
  const read = await readProject(root);
  const { tools, roles, pipelines } = read.how === 'read' && isTrusted(project) ? read.value : NO_PROJECT_FILE;
  const adapters = [...TOOLS.map((tool): Adapter => ADAPTERS[tool]), ...Object.values(tools).map(ownAdapter)];
  const names = [...new Set([...Object.keys(ROLES), ...Object.keys(roles)])].filter(
    (role) => !PARTS.some((part) => part === role),
  );
  const shown: ChoicesShown = {
    tools: adapters.map((adapter) => ({ tool: adapter.tool, ...standingOf(adapter, project) })),
    roles: names.map((role) => {
      const row: Role | null = Object.hasOwn(ROLES, role) ? ROLES[role as BuiltInRole] : null;
      const access = roles[role]?.access ?? row?.access ?? 'read';
      return { role, access, accepts: row?.runsAcceptance ?? false };
    }),
    pipelines: Object.entries<readonly unknown[]>({ ...pipelines, ...PIPELINES }).map(([name, stages]) => ({
      name,
      stages: (stages as ChoicesShown['pipelines'][number]['stages']).map(({ tool, role }) => ({ tool, role })),
    })),
    tests: readRepository(root).tests?.command ?? null,
  };
  return answerWith(shown);
}

/** Whether what the project configures counts in a run that is started here. */
export const isTrusted = ({ trustWorkspace, cwd, environment }: ServedProject): boolean =>
  trustWorkspace || isTrustedProject(cwd, environment);

/** Why no stage can call the CLI here, and what may keep its calls from an answer. */
export function standingOf({ binary, signIn }: Adapter, { cwd, environment }: ServedProject) {
  const surroundings = { environment, home: homeOf(environment) ?? cwd, cwd };
  const found = findCli(binary, surroundings, projectRoot(cwd));
  if (found === null) return { lacks: 'is not installed', note: null };
  if (found.where === 'beside_path') return { lacks: `is not on the PATH, but at ${found.file}`, note: null };
  const signedIn = signIn?.(surroundings) ?? null;
  return { lacks: null, note: signedIn === null || signedIn.how === 'signed_in' ? null : signInWords(signedIn) };
}

const signInWords = (found: SignIn): string =>
  found.how === 'signed_in'
    ? `signed in by ${found.by}`
    : `${found.how === 'unclear' ? 'unclear' : 'no sign-in found'}: ${found.because}`;
