// Implements tollgate doctor: lists preflight's findings as steps, the gravest first, each with a way to verify the fix.

import path from 'node:path';
import { launcherIn } from '../../../loops/launcher.ts';
import { readTask } from '../../../loops/task/task.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import type { CheckFinding } from '../../../policies/facts/finding.ts';
import { isBuiltIn, isTool, TOOLS, type Tool } from '../../../policies/facts/tools.ts';
import { counted, visible } from '../../../policies/text/display.ts';
import { type PreflightOptions, preflight } from '../../../preflight.ts';
import { namesIfAny } from '../../../state/disk/folder.ts';
import type { GivenStage } from '../../../state/project/manifest-schema.ts';
import { readProject } from '../../../state/project/project.ts';
import { projectRoot, projectState } from '../../../state/task-folder.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import { PREFLIGHT_SPEC, preflightOptions } from '../../preflight-command.ts';
import { printing } from '../../printing.ts';
import { startProgress } from '../../progress-line.ts';
import { badInputOf, type Ran } from '../../ran.ts';
import { coloursOf, sheetOf } from '../../sheet.ts';

const { tools, 'trust-workspace': trust, quick, cwd } = PREFLIGHT_SPEC.flags;

const SPEC: CommandSpec = {
  name: 'tollgate doctor',
  usage: '[--tools LIST] [--quick]',
  about:
    'Shows what to do about this machine, the most serious problem first: what is wrong, the command to type or the thing to fix, and the command that checks the fix. The checks are those of preflight, for the CLIs that the tasks of this project and tollgate.yaml name (all CLIs if there is no task). It changes nothing.',
  flags: { tools, 'trust-workspace': trust, quick, cwd },
  words: { min: 0, max: 0, called: 'nothing' },
  examples: [
    ['tollgate doctor', 'what to do before the first task'],
    ['tollgate doctor --tools codex', 'as far as codex needs it'],
    ['tollgate doctor --json | jq -r ".steps[0].do"', 'what to do first'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'nothing must be done (there may be warnings)'],
    [TOLLGATE_EXIT.failure, 'something must be done before a task can run'],
    [TOLLGATE_EXIT.badInput, 'a flag is wrong'],
  ],
};

interface Step {
  status: 'fail' | 'warn';
  check: string;
  found: string;
  do: string;
  /** The command that shows whether it is fixed. */
  verify: string;
}

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const requested = await preflightOptions(read.args);
  if (typeof requested === 'string') return badInputOf(SPEC.name)(requested);
  const options = read.args.text.tools === undefined ? await ofTasks(requested) : requested;
  const { given } = read.args;
  const detail = given.has('quiet') ? 'problems' : 'all';
  const progress = startProgress(printing('stderr'), detail, () => 'asking the CLIs for their versions');
  const { ok, findings } = await preflight(options).finally(progress.stop);
  const steps = stepsOf(findings, options.tools ?? []);
  const exit = ok ? TOLLGATE_EXIT.ok : TOLLGATE_EXIT.failure;
  if (given.has('json')) return { exit, out: `${JSON.stringify({ schema: 1, ok, steps }, null, 2)}\n` };
  return { exit, out: `${[...steps.map(paragraph), summary(steps)].join('\n\n')}\n` };
}

/** Without tasks, any CLI may be needed. Otherwise, only those of the tasks and those that tollgate.yaml describes. */
async function ofTasks(options: PreflightOptions): Promise<PreflightOptions> {
  const { cwd = process.cwd(), tools = [], trustWorkspace = false } = options;
  const used: readonly string[] = await usedTools(cwd, process.env, trustWorkspace);
  return used.length === 0
    ? options
    : { ...options, tools: tools.filter((tool) => used.includes(tool) || !isBuiltIn(tool)) };
}

/** Puts failures before warnings. Within each group the order of the checks remains, because each depends on those before it. */
function stepsOf(findings: readonly CheckFinding[], tools: readonly string[]): Step[] {
  return (['fail', 'warn'] as const).flatMap((status) =>
    findings
      .filter((finding) => finding.status === status)
      .map(({ check, found, fix }) => ({
        status,
        check,
        found,
        do: fix ?? 'look at it',
        verify: lineFor(check, tools),
      })),
  );
}

/** To verify a check of one CLI, preflight runs for that CLI only. */
function lineFor(check: string, tools: readonly string[]): string {
  const tool = tools.find((name) => check.startsWith(`${name} `));
  return `${launcherIn(process.env)} preflight${tool === undefined ? '' : ` --tools ${tool}`}`;
}

function paragraph({ status, check, found, do: what, verify }: Step, i: number): string {
  const colours = coloursOf(sheetOf(process.env).ink);
  const must = status === 'fail' ? colours.red('must') : colours.yellow('may');
  const lines = [
    `${i + 1}. ${must}  ${colours.bold(check)}: ${visible(found)}`,
    `do    ${visible(what)}`,
    `check ${verify}`,
  ];
  return lines.join('\n   ');
}

function summary(steps: readonly Step[]): string {
  const must = steps.filter(({ status }) => status === 'fail').length;
  if (steps.length === 0) return 'Nothing to do: this machine is ready.';
  if (must === 0)
    return `Nothing must be done; ${steps.length} may be worth it. Then: ${launcherIn(process.env)} run TASK`;
  return `${counted(must, 'problem')} to fix first, from the top. Then run \`${launcherIn(process.env)} doctor\` again.`;
}

/** Returns the CLIs of all stages, of their fallbacks and of the project's settings; an empty list if none is named. */
async function usedTools(cwd: string, environment: NodeJS.ProcessEnv, trustWorkspace: boolean): Promise<Tool[]> {
  const folder = path.join(projectState(cwd, environment), 'task');
  const used = new Set<Tool>();
  for (const name of namesIfAny(folder).slice(0, MOST_TASKS)) {
    const read = await readTask({ word: `${path.join(folder, name)}/`, cwd, environment, trustWorkspace });
    if (read.how === 'invalid') continue;
    for (const { stage } of read.plans) for (const { tool } of [stage, ...stage.fallback]) used.add(tool);
  }
  // As for a task, the project's settings count only in a trusted workspace.
  const project = trustWorkspace ? await readProject(projectRoot(cwd)) : null;
  if (project?.how === 'read') for (const tool of toolsIn(project)) used.add(tool);
  return [...used];
}

function toolsIn({ value, has }: Extract<Awaited<ReturnType<typeof readProject>>, { how: 'read' }>): Tool[] {
  const stages = Object.values(value.pipelines).flat() as Pick<GivenStage, 'tool' | 'fallback'>[];
  const { budgets, at_once, per_minute } = value.limits;
  const named = [
    ...stages.flatMap(({ tool, fallback = [] }) => [tool, ...fallback.map((one) => one.tool ?? tool)]),
    ...[...value.triage.rules, ...budgets].map(({ tool }) => tool),
    ...Object.keys({ ...at_once, ...per_minute }),
    // Both settings have a default for every CLI; only the values in the file count.
    ...TOOLS.filter((tool) => has(['sessions', 'context_limit', tool]) || has(['prompts', 'max_chars', tool])),
  ];
  return named.filter((name): name is Tool => isTool(name) && name !== 'any');
}

/** More tasks would take seconds to read, and would rarely name another CLI. */
const MOST_TASKS = 500;
