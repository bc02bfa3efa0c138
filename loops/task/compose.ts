// Composes the prompt of a stage: reads its sources, and passes them to the policies. Writes nothing.

import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { filledIn, GOAL_TO_FILL_IN, type INPUT_TEMPLATES } from '../../policies/manifest/new-task-files.ts';
import type { ProjectFile } from '../../policies/manifest/project-file.ts';
import { promptLimit } from '../../policies/manifest/prompt-limits.ts';
import type { ResolvedRole } from '../../policies/manifest/resolved-role.ts';
import { type ComposedText, composeText, type Digest } from '../../policies/prompt/compose-text.ts';
import { RULES } from '../../policies/prompt/rules.ts';
import type { AnswerSource, Changes, PromptSource } from '../../policies/prompt/source.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import type { Manifest, Stage } from '../../state/project/manifest-schema.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { type Forbids, forbiddenBy } from '../tree/forbidden.ts';
import { readChanges } from '../tree/read-changes.ts';
import { linkMistake, readWithin } from '../tree/read-within-folder.ts';
import { MAX_BYTES, readAttachments } from './attachments.ts';
import { readTemplate } from './read-template.ts';
import { readText } from './read-text.ts';

interface PromptRequest {
  task: TaskFolder;
  manifest: Manifest;
  stage: Stage;
  /** The tool that will receive the prompt. With a fallback, it is not the stage's own tool. */
  tool: Tool;
  /** The tree in which the CLI runs, absolute. */
  cwd: string;
  /** The project's root, absolute. */
  root: string;
  role: ResolvedRole;
  project: ProjectFile;
  digest: Digest;
  /** The context that an earlier brief handed off; it replaces `inputs/context_pack.md`. */
  handedOff: string | null;
  /** The answers of this task's earlier stages that this role reads, in order. */
  earlier: AnswerSource[];
  redactor: Redactor;
  /** The acceptance commands that the gate will run. */
  acceptanceCommands: readonly string[];
  /** The additional text of an iteration. */
  turn?: PromptTurn;
  /** The environment in which git is found. */
  environment: NodeJS.ProcessEnv;
  /** After an abort nothing more is read. */
  halt?: AbortSignal;
}

/** The part of a prompt that differs in each iteration of a supervised task. It comes last, and no digest changes it. */
export interface PromptTurn {
  text: string;
  /**
   * Identifies what is paid for once, whatever the rest of the prompt is. The same words in two iterations count as two. A file
   * that changed meanwhile does not count as another.
   */
  identity: string;
}

type PromptComposed =
  /** `sha256`: the hash of the bytes that the CLI will get; for a turn, the hash of its identity. */
  ({ how: 'done'; sha256: string } & ComposedText) | { how: 'invalid'; message: string };

/** Returns the prompt with its warnings, or `invalid` with a sentence that names the file. Neither costs a paid call. */
export async function composePrompt(request: PromptRequest): Promise<PromptComposed> {
  const { task, manifest, stage, role, cwd, root } = request;
  const forbidden = manifest.security.forbidden_paths;
  const forbids = await forbidsOf(forbidden, [root, cwd]);
  const rules = readRules(request, forbids);
  if (rules.how === 'invalid') return rules;
  const answer = stage.schema === undefined ? 'sections' : 'json';
  const place = { stage: stage.name, answer, task: task.root, root, forbids } as const;
  const goal = manifest.goal === GOAL_TO_FILL_IN ? '' : manifest.goal;
  const variables = { goal, task_id: task.id, role: role.name, stage: stage.name };
  const template = readTemplate(place, role, variables);
  if (template.how === 'invalid') return template;
  const userRequest = await readInput(request, forbids, 'user_request.md');
  if (userRequest.how === 'invalid') return userRequest;
  if (goal === '' && userRequest.file === null) return { how: 'invalid', message: missingRequest(task) };
  const pack = request.handedOff === null ? await readInput(request, forbids, 'context_pack.md') : null;
  if (pack?.how === 'invalid') return pack;
  const attachable = { stage: stage.name, globs: stage.attach, tree: cwd, inputs: task.inputs, state: stateOf(task) };
  const limit = promptLimit(request.project.prompts, request.tool, stage.model);
  const attached = await readAttachments(attachable, root, forbids, limit, request.halt);
  if (attached.how === 'invalid') return attached;
  const changed = await readChanged(request, forbids);
  if (changed.how === 'invalid') return changed;
  const source = {
    taskId: task.id,
    stage: stage.name,
    role,
    rules: rules.text,
    template: template.text,
    goal,
    request: userRequest.file,
    context: pack === null ? { path: null, text: request.handedOff ?? '' } : pack.file,
    changes: changed.changes,
    attachments: attached.attachments,
    answers: request.earlier,
    allow: manifest.scope.allow,
    deny: manifest.scope.deny,
    forbidden,
    criteria: manifest.acceptance.criteria,
    commands: request.acceptanceCommands,
    schema: stage.schema ?? null,
  };
  const composed = withTurn(request.turn, (room) =>
    composeText(source, request.digest, request.redactor, limit - room),
  );
  return {
    how: 'done',
    ...composed,
    sha256: identified(request.turn, sentHash(request.tool, composed.text)),
    warnings: [...role.warnings, ...rules.warnings, ...changed.warnings, ...attached.warnings, ...composed.warnings],
  };
}

function withTurn(turn: PromptTurn | undefined, compose: (room: number) => ComposedText): ComposedText {
  const composed = compose(turn === undefined ? 0 : turn.text.length + 1);
  return turn === undefined ? composed : { ...composed, text: `${composed.text}\n${turn.text}` };
}

const identified = (turn: PromptTurn | undefined, hash: string): string =>
  turn === undefined ? hash : createHash('sha256').update(turn.identity).digest('hex');

/** Calls git only if a stage needs a diff. */
async function readChanged(
  { stage, cwd, root, task, environment, halt }: PromptRequest,
  forbids: Forbids,
): Promise<{ how: 'read'; changes: Changes | null; warnings: string[] } | { how: 'invalid'; message: string }> {
  if (typeof stage.diff !== 'object') return { how: 'read', changes: null, warnings: [] };
  const of = {
    cwd,
    root,
    task: task.state,
    state: stateOf(task),
    forbids,
    environment,
    ...(halt === undefined ? {} : { halt }),
  };
  const read = await readChanges(of, stage.diff);
  return read.how === 'read' ? read : { how: 'invalid', message: `stage ${stage.name}: diff: ${read.message}` };
}

/** @param folders the folders to which the globs are relative */
export async function forbidsOf(globs: readonly string[], folders: readonly string[]): Promise<Forbids> {
  return globs.length === 0 ? () => null : forbiddenBy(globs, folders);
}

type RulesRead = { how: 'read'; text: string; warnings: string[] } | { how: 'invalid'; message: string };

function readRules({ project, role, root }: PromptRequest, forbids: Forbids): RulesRead {
  if (project.rules === null) return { how: 'read', text: RULES, warnings: [] };
  if (role.trust === 'untrusted') {
    const warning = `the rules of tollgate.yaml (${project.rules}) are not used, since the workspace is not trusted (--trust-workspace)`;
    return { how: 'read', text: RULES, warnings: [warning] };
  }
  const read = readWithin({ folder: root, root, forbids }, project.rules);
  if (read.how === 'read') return { ...read, warnings: [] };
  const why = read.how === 'absent' ? `cannot be read in ${root} (ENOENT)` : read.why;
  return { how: 'invalid', message: `tollgate.yaml: rules: ${project.rules} ${why}` };
}

type InputRead = { how: 'read'; file: PromptSource['request'] } | { how: 'invalid'; message: string };

const missingRequest = ({ manifest, root, inputs }: TaskFolder): string =>
  `there is no request yet: the goal in ${manifest ?? root} is not filled in, and ${path.join(inputs, 'user_request.md')} has no text; write the request into one of them`;

/** null for no file, or only placeholders. An unreadable file is an error: half a prompt costs as much as a whole. */
async function readInput(
  { task, cwd, root }: PromptRequest,
  forbids: Forbids,
  name: keyof typeof INPUT_TEMPLATES,
): Promise<InputRead> {
  const file = path.join(task.inputs, name);
  const why = linkMistake(file, [task.root, root], forbids);
  if (why !== null) return { how: 'invalid', message: `${file} ${why}` };
  const read = await readText(file, Number.POSITIVE_INFINITY, MAX_BYTES);
  switch (read.how) {
    case 'text': {
      const text = filledIn(read.excerpt.head.replace(/^\uFEFF/, ''), name);
      return { how: 'read', file: text.trim() === '' ? null : { path: path.relative(cwd, file), text } };
    }
    case 'binary':
      return { how: 'invalid', message: `${file} is not UTF-8 text` };
    case 'failed':
      return read.code === 'ENOENT' ? { how: 'read', file: null } : { how: 'invalid', message: `${file} ${read.why}` };
  }
}

/** Returns `.tmp`, whose `task/` holds the tasks. A task in another place is its own state folder. */
export function stateOf({ root }: TaskFolder): string {
  const tasks = path.dirname(root);
  return path.basename(tasks) === 'task' ? path.dirname(tasks) : root;
}

/** SHA-256 in hexadecimal, over the text as the tool's adapter escapes it. */
export function sentHash(tool: Tool, text: string): string {
  const sent = adapterOf(tool).prompt.escape(Buffer.from(text).toString('latin1'));
  return createHash('sha256').update(Buffer.from(sent, 'latin1')).digest('hex');
}
