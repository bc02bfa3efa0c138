// Implements preflight: reads the flags, and prints a table of findings.

import path from 'node:path';
import { asCalled } from '../loops/launcher.ts';
import { findingsOf, isUnswept, summariseSwept } from '../loops/upkeep/swept.ts';
import { TOLLGATE_EXIT } from '../policies/facts/exit-codes.ts';
import type { CheckFinding } from '../policies/facts/finding.ts';
import { TOOLS, type Tool } from '../policies/facts/tools.ts';
import type { NotifierRow } from '../policies/manifest/notifier.ts';
import { counted, visible } from '../policies/text/display.ts';
import { nearest } from '../policies/text/nearest.ts';
import { type PreflightOptions, type PreflightReport, preflight } from '../preflight.ts';
import { readProject, readSoundTools } from '../state/project/project.ts';
import { projectRoot } from '../state/task-folder.ts';
import { isTrustedProject } from '../state/trusted-folders.ts';
import { describeTools } from '../wrappers/own/described.ts';
import { readArguments } from './command.ts';
import type { Arguments, CommandSpec } from './command-line.ts';
import { printing } from './printing.ts';
import { startProgress } from './progress-line.ts';
import type { Ran } from './ran.ts';
import { coloursOf, sheetOf } from './sheet.ts';

export const PREFLIGHT_SPEC = {
  name: 'preflight',
  usage: '[--tools LIST] [--quick] | --sweep [--now]',
  about:
    'Checks the machine before any call is paid, and says how to fix each problem. It changes nothing, except with --sweep.',
  flags: {
    tools: {
      takes: 'text',
      about: `the required CLIs, separated by commas; default: ${TOOLS.join(',')} and, with --trust-workspace, those of tollgate.yaml`,
    },
    'trust-workspace': {
      takes: 'nothing',
      about: 'use the CLIs and the notifications that tollgate.yaml describes; its CLIs may be started',
    },
    quick: { takes: 'nothing', about: 'start no process; versions that only a start shows stay unknown' },
    sweep: {
      takes: 'nothing',
      about: 'instead: clean up after killed processes, in this and in your other projects',
    },
    now: {
      takes: 'nothing',
      about: 'with --sweep: end CLIs that lost their wrapper and still run, before their deadline',
    },
    cwd: { takes: 'text', about: 'the folder in which the CLIs would run', default: '.' },
  },
  words: { min: 0, max: 0, called: 'nothing' },
  examples: [
    ['tollgate preflight', 'checks the machine for all CLIs'],
    ['tollgate preflight --tools codex --quick', 'for codex alone, in a few milliseconds'],
    ['tollgate preflight --json | jq -r ".findings[].fix // empty"', 'only what there is to do'],
    ['tollgate preflight --sweep', 'publishes what was answered, ends what still runs, removes what is of no use'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'no check failed (there may be warnings); with --sweep: nothing more to do'],
    [TOLLGATE_EXIT.failure, 'a check failed; with --sweep: something could not be swept'],
    [TOLLGATE_EXIT.badInput, 'a flag is wrong'],
  ],
} as const satisfies CommandSpec;

export async function preflightCommand(argv: readonly string[], name: string = PREFLIGHT_SPEC.name): Promise<Ran> {
  const read = await readArguments({ ...PREFLIGHT_SPEC, name }, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const options = sweepMistake(read.args.given) ?? (await preflightOptions(read.args));
  if (typeof options === 'string') return { exit: TOLLGATE_EXIT.badInput, err: `${name}: ${options}\n` };
  const { given } = read.args;
  const { ink } = sheetOf(process.env);
  if (given.has('sweep')) return sweepCommand(read.args, options.cwd!, ink);
  const detail = given.has('quiet') ? 'problems' : 'all';
  const progress = startProgress(printing('stderr'), detail, () => 'asking the CLIs for their versions');
  const report = await preflight(options).finally(progress.stop);
  return {
    exit: report.ok ? TOLLGATE_EXIT.ok : TOLLGATE_EXIT.failure,
    out: given.has('json')
      ? `${JSON.stringify(report, null, 2)}\n`
      : renderFindings(report.findings, {
          which: detail,
          ink,
        }),
  };
}

/** The options, or what is wrong with them. */
export async function preflightOptions({ text, given }: Arguments): Promise<PreflightOptions | string> {
  const cwd = path.resolve(text.cwd!);
  const trustWorkspace = given.has('trust-workspace') || isTrustedProject(cwd, process.env);
  const project = trustWorkspace ? await described(cwd) : NOTHING;
  if (typeof project === 'string') return project;
  const { own, notifiers, prefixes, mistakes } = project;
  const known: readonly string[] = [...TOOLS, ...own];
  const names = text.tools?.split(',').map((name) => name.trim()) ?? known;
  const wrong = names.find((name) => !known.includes(name));
  if (wrong !== undefined) {
    const near = nearest(wrong, known);
    const untold =
      trustWorkspace || wrong === '' || near !== null ? '' : '; one of tollgate.yaml needs --trust-workspace';
    if (mistakes.length > 0) return mistakes.join('\n');
    return `--tools: "${wrong}" is not one of ${known.join(', ')}${near === null ? untold : `; did you mean ${near}?`}`;
  }
  const tools = [...new Set(names as Tool[])];
  return { tools, depth: given.has('quick') ? 'quick' : 'full', cwd, trustWorkspace, notifiers, prefixes, mistakes };
}

interface Described {
  own: string[];
  notifiers: readonly NotifierRow[];
  prefixes: Readonly<Record<string, readonly string[]>>;
  /** Mistakes in tollgate.yaml; its valid parts are checked all the same. */
  mistakes: readonly string[];
}

const NOTHING: Described = { own: [], notifiers: [], prefixes: {}, mistakes: [] };

/** The CLIs that the project describes, which can be looked up from then on, and its notifiers; or the mistake. */
async function described(cwd: string): Promise<Described | string> {
  const project = await readProject(projectRoot(cwd));
  const { tools, prefixes, mistakes } = await readSoundTools(projectRoot(cwd));
  const notifiers = project.how === 'read' ? project.value.notify : [];
  return describeTools(tools) ?? { own: Object.keys(tools), notifiers, prefixes, mistakes };
}

/** Runs preflight --sweep: removes what killed processes left behind, and checks nothing else. */
async function sweepCommand({ given }: Arguments, cwd: string, ink: 'colour' | 'plain'): Promise<Ran> {
  const { sweep } = await import('../loops/upkeep/sweep.ts');
  const swept = await sweep({
    cwd,
    environment: process.env,
    working: given.has('now') ? 'end' : 'wait',
    clock: () => new Date(),
  });
  const findings = findingsOf(swept);
  const report: PreflightReport = { schema: 1, ok: !swept.some(isUnswept), findings, swept };
  const which = given.has('quiet') ? 'problems' : 'all';
  const table = renderRows(findings, { which, ink });
  return {
    exit: report.ok ? TOLLGATE_EXIT.ok : TOLLGATE_EXIT.failure,
    out: given.has('json')
      ? `${JSON.stringify(report, null, 2)}\n`
      : `${table}${which === 'all' && table !== '' ? '\n' : ''}${summariseSwept(swept)}\n`,
  };
}

/** Why these flags cannot be combined, or null. */
function sweepMistake(given: ReadonlySet<string>): string | null {
  if (!given.has('sweep')) return given.has('now') ? '--now goes with --sweep alone' : null;
  const other = ['tools', 'quick'].find((name) => given.has(name));
  return other === undefined ? null : `--sweep checks no CLI; leave --${other} out`;
}

interface TableStyle {
  which: 'all' | 'problems';
  ink: 'colour' | 'plain';
}

function renderFindings(findings: readonly CheckFinding[], style: TableStyle): string {
  const rows = renderRows(findings, style);
  return `${rows}${style.which === 'all' ? '\n' : ''}${summarise(problemsOf(findings))}\n`;
}

function renderRows(findings: readonly CheckFinding[], { which, ink }: TableStyle): string {
  const colours = coloursOf(ink);
  const paint = { ok: colours.green, note: colours.cyan, warn: colours.yellow, fail: colours.red } as const;
  const shown = which === 'all' ? findings : problemsOf(findings);
  const width = Math.max(0, ...shown.map(({ check }) => check.length));
  const rows = shown.map(({ check, status, found, fix }) => {
    const row = `${paint[status](status.padEnd(4))}  ${check.padEnd(width)}  ${visible(found)}\n`;
    return fix === null ? row : `${row}${' '.repeat(width + 8)}${colours.dim('→')} ${visible(fix)}\n`;
  });
  return rows.join('');
}

const problemsOf = (findings: readonly CheckFinding[]): CheckFinding[] =>
  findings.filter(({ status }) => status === 'warn' || status === 'fail');

function summarise(problems: readonly CheckFinding[]): string {
  const count = (status: CheckFinding['status']) => problems.filter((finding) => finding.status === status).length;
  const [failed, warned] = [count('fail'), count('warn')];
  if (failed + warned === 0) return 'Ready.';
  const warnings = counted(warned, 'warning');
  if (failed === 0) return `Ready, with ${warnings}.`;
  const first = asCalled('`tollgate doctor` says what to fix first.', process.env);
  return `Not ready: ${failed} failed${warned === 0 ? '' : `, ${warnings}`}. ${first}`;
}
