// Writes the files of a new task: a manifest that explains every field, and the input templates.

import { MANIFEST_FIELDS } from './manifest-fields.ts';
import { PIPELINES, type PipelineName } from './pipelines.ts';
import { type BuiltInRole, ROLES, type Role } from './roles.ts';

export interface NewManifest {
  taskId: string;
  goal: string | null;
  /** Used instead of explicit stages. */
  pipeline: string | null;
  /** What its reviews compare with; null if it is not known, or if nothing is reviewed. */
  base: string | null;
  /** null means the usual budget. */
  budget?: number | null;
  /** The commands that must succeed at the end. They are commented out if no stage would run them. */
  acceptance?: readonly string[];
  /** Used instead of a pipeline; without either there is one stage to fill in. */
  stages?: readonly { tool: string; role: string; access: string | null }[];
  /** The values of further fields, by their names, such as `scope.allow`. */
  values?: Readonly<Record<string, number | string | readonly string[]>>;
  /** Replaces both with a worker and a reasoner. */
  supervised?: boolean;
  /** The location of the schema, as the manifest's reader finds it. */
  schema: string;
}

/** The goal of a task that has none yet. It requests nothing, and no prompt contains it. */
export const GOAL_TO_FILL_IN = 'Say in a sentence or two what is to be achieved.';

/** A comment has a space after its `#`; an unused field has none. Deleting what `TAKEN_OUT` matches activates the field. */
export function manifestText(made: NewManifest): string {
  const { taskId, goal, pipeline, base, supervised = false, schema, budget = null, acceptance = [] } = made;
  const { stages: own = [], values = {} } = made;
  const given: Record<string, string> = {
    task_id: JSON.stringify(taskId),
    goal: JSON.stringify(goal ?? GOAL_TO_FILL_IN),
    ...(pipeline === null ? {} : { pipeline: plainOrQuoted(pipeline) }),
    ...(budget === null ? {} : { 'budgets.paid_call_budget': String(budget) }),
    ...(acceptance.length === 0 ? {} : { 'acceptance.commands': JSON.stringify(acceptance) }),
    ...Object.fromEntries(
      Object.entries(values).map(([field, value]) => [
        field,
        typeof value === 'string' ? plainOrQuoted(value) : JSON.stringify(value),
      ]),
    ),
  };
  const reviews = pipeline === null || base === null ? [] : reviewLines(pipeline, base);
  const items = own.length > 0 ? own.map(stageLine) : reviews;
  const stages = supervised ? ['supervise'] : items.length > 0 ? ['stages'] : pipeline === null ? STAGE : [];
  const accepts = supervised || runsAcceptance(pipeline) || own.some(({ role }) => rowOfRole(role)?.runsAcceptance);
  const accepted = acceptance.length > 0 && accepts ? ['acceptance.commands'] : [];
  const valued = [...accepted, ...Object.keys(values)].flatMap((field) => [field.split('.')[0]!, field]);
  const used = new Set(['task_id', 'goal', 'pipeline', ...stages, ...BUDGETS, ...valued]);
  if (pipeline === null) used.delete('pipeline');
  const lines = Object.keys(MANIFEST_FIELDS).flatMap((field) => [
    ...fieldLines(field, given[field], used.has(field) ? '' : '#'),
    ...(field === LAST_OF_STAGE ? items : []),
  ]);
  return `${[`# yaml-language-server: $schema=${schema}`, ...HEADER, ...lines].join('\n')}\n`;
}

/** A stage that only reviews sees the changes to review. */
function reviewLines(pipeline: string, base: string): string[] {
  if (!isReview(pipeline)) return [];
  const named = plainOrQuoted(base);
  return [
    `  # These reviews are shown what has changed since ${base}.`,
    ...PIPELINES[pipeline]
      .filter(({ role }) => role === 'review' || role === 'static_verify')
      .map(({ tool, role }) => `  - {tool: ${tool}, role: ${role}, diff: {base: ${named}}}`),
  ];
}

const stageLine = ({ tool, role, access }: { tool: string; role: string; access: string | null }): string =>
  `  - {tool: ${plainOrQuoted(tool)}, role: ${plainOrQuoted(role)}${access === null ? '' : `, access: ${access}`}}`;

const plainOrQuoted = (text: string): string => (/^[A-Za-z][\w./-]*$/.test(text) ? text : JSON.stringify(text));

export const isReview = (pipeline: string | null): pipeline is (typeof REVIEWS)[number] =>
  REVIEWS.some((name) => name === pipeline);

/** Whether one of its stages runs the acceptance commands. */
export const runsAcceptance = (pipeline: string | null): boolean =>
  pipeline !== null &&
  Object.hasOwn(PIPELINES, pipeline) &&
  PIPELINES[pipeline as PipelineName].some(({ role }) => ROLES[role].runsAcceptance);

const rowOfRole = (role: string): Role | null => (Object.hasOwn(ROLES, role) ? ROLES[role as BuiltInRole] : null);

/** The pipelines that change nothing, so the work to review exists before they start. */
const REVIEWS = ['review_only', 'review_cross', 'post_impl_review'] as const satisfies readonly PipelineName[];

const LAST_OF_STAGE = Object.keys(MANIFEST_FIELDS).findLast((field) => field.startsWith('stages[].'));

export const TAKEN_OUT = /(?<=^ *)#(?=[\w$-])/gm;

const HEADER = [
  '# A task. To use a field, delete the # right before its name and the one before the name of its group.',
  '# The request is in inputs/user_request.md, background for the stages is in inputs/context_pack.md.',
];

/** The minimum that a task needs besides its id and goal, and what the user should check before a run. */
const STAGE = ['stages', 'stages[].tool', 'stages[].role'];
const BUDGETS = ['budgets', 'budgets.paid_call_budget'];

function fieldLines(field: string, given: string | undefined, mark: '' | '#'): string[] {
  const { about, example, without } = MANIFEST_FIELDS[field]!;
  const group = example === null && isGroup(field);
  if (example === null && !group) return [];
  const parents = field.split('.').slice(0, -1);
  // The example of the group that contains them shows them.
  if (parents.some((_, i) => (MANIFEST_FIELDS[parents.slice(0, i + 1).join('.')]?.example ?? null) !== null)) return [];
  const inList = parents.includes('stages[]');
  const opensItem = field === 'stages[].tool';
  const indent = '  '.repeat(parents.length + Number(inList && !opensItem));
  const end = without === null ? ' Required.' : group && without === 'as below' ? '' : ` Default: ${without}.`;
  const name = `${opensItem ? '- ' : ''}${field.split('.').at(-1)}:`;
  return [
    ...(parents.length === 0 ? [''] : []),
    `${indent}# ${about}.${end}`,
    `${indent}${mark}${group ? name : `${name} ${given ?? example}`}`,
  ];
}

const isGroup = (field: string): boolean =>
  Object.keys(MANIFEST_FIELDS).some((other) => other.startsWith(`${field}.`) || other.startsWith(`${field}[]`));

/** The templates by name in `inputs/`. Comments, which Markdown does not show, say what to fill in. */
export const INPUT_TEMPLATES = {
  'user_request.md': `# Request

<!-- The request, in the words of its author. -->

## Non-goals

<!-- Related work that is out of scope. -->

## Fixed decisions

<!-- Decisions that are final. -->

## Acceptance

<!-- How it will be seen that the request is met. -->
`,
  'context_pack.md': `# Context

<!-- What the stages should know and cannot easily find out: where to look, what was tried, what must not break. -->
`,
} as const satisfies Record<string, string>;

/**
 * Returns the text without the template's own comments, and without its headings that are then empty. Other comments are the
 * user's text and remain, for a request may be about one. If nothing is removed, the text is the same byte for byte.
 */
export function filledIn(text: string, name: keyof typeof INPUT_TEMPLATES): string {
  const template = linesOf(INPUT_TEMPLATES[name]);
  const lines = linesOf(text);
  const gone = new Set(lines.flatMap((line, i) => (isPlaceholder(line, template) ? [i] : [])));
  const isEmpty = (from: number, to: number) =>
    lines.slice(from, to).every((line, i) => gone.has(from + i) || line.trim() === '');
  // Starts at the end, because a heading is empty if those below it are empty.
  for (let from = lines.length - 1; from >= 0; from--)
    if (
      levelOf(lines[from]!) !== null &&
      template.includes(lines[from]!.trimEnd()) &&
      isEmpty(from + 1, endOf(lines, from))
    )
      gone.add(from);
  return gone.size === 0 ? text : lines.filter((_, i) => !gone.has(i)).join('\n');
}

const isPlaceholder = (line: string, template: readonly string[]): boolean =>
  line.trim().startsWith('<!--') && template.includes(line.trim());

const linesOf = (text: string): string[] => text.split(/\r\n|[\n\r\u2028\u2029]/);

/** The template marks its headings with `#` only. */
const levelOf = (line: string): number | null => /^(#{1,6})\s/.exec(line)?.[1]?.length ?? null;

/** The line after the end of the section that begins at `from`. */
function endOf(lines: readonly string[], from: number): number {
  const level = levelOf(lines[from]!)!;
  const next = lines.findIndex((line, i) => i > from && (levelOf(line) ?? Number.POSITIVE_INFINITY) <= level);
  return next === -1 ? lines.length : next;
}
