// Composes the prompt of a stage in this run from the manifest, the inputs and earlier answers, and writes it to disk.

import path from 'node:path';
import { verificationCommands } from '../../policies/gate/verification-commands.ts';
import { promptLimit } from '../../policies/manifest/prompt-limits.ts';
import type { ComposedText } from '../../policies/prompt/compose-text.ts';
import type { Omission } from '../../policies/prompt/omissions.ts';
import type { PartSize } from '../../policies/prompt/part.ts';
import { slowOnPrompt } from '../../policies/redact/redactor.ts';
import { figure } from '../../policies/text/display.ts';
import { sectionText } from '../../policies/text/sections.ts';
import { writeAtomic } from '../../state/atomic-file.ts';
import { readHead } from '../../state/disk/regular-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { outputsOf } from '../../state/task-folder.ts';
import { redactorOf } from '../redactor.ts';
import { composePrompt as compose } from './compose.ts';
import type { RunSettings } from './run-context.ts';
import type { RunOptions } from './run-options.ts';
import type { StagePlan } from './stage-plan.ts';
import type { OpenTask } from './task.ts';

/** The prompt of a stage: its file, its SHA-256 in hex, its length in characters, and its parts. */
export interface Prompt {
  file: string;
  sha256: string;
  chars: number;
  parts: PartSize[];
  digest: DigestPolicy;
  leftOut: Omission[];
  /** null if it may be sent. */
  tooLarge: ComposedText['tooLarge'];
  warnings: string[];
  /** The commands that the gate will run after this stage, and those that a brief only proposes. */
  acceptanceCommands: string[];
  proposedCommands: string[];
}

/** Whether parts of a prompt are omitted: never, only if it is too large, or as many as possible. */
export type DigestPolicy = 'off' | 'auto' | 'aggressive';

/** `invalid`: a sentence that names the wrong file or field. */
export type ComposedPrompt = { how: 'done'; prompt: Prompt; text: string } | { how: 'invalid'; message: string };

/** A run whose task is open. */
export interface Composing extends RunSettings {
  open: OpenTask;
}

/**
 * Composes the prompt, and writes nothing. After `context.stop` aborts, nothing more is read, and the result must not be used.
 * @param digest the policy of the manifest, or a stronger one.
 */
export async function composePrompt(
  composing: Composing,
  plan: StagePlan,
  digest: DigestPolicy,
): Promise<ComposedPrompt> {
  const { open, context, options } = composing;
  const { environment } = context;
  const { task, manifest, cwd, root, project } = open;
  const { stage, role, turn } = plan;
  const accepting = acceptanceOf({ open, options }, plan);
  if (typeof accepting === 'string') return { how: 'invalid', message: accepting };
  const { answers, brief, commands: acceptanceCommands, proposed: proposedCommands } = accepting;
  const redactor = redactorOf(environment, manifest.security.redaction_patterns);
  const composed = await compose({
    task,
    manifest,
    stage,
    tool: stage.tool,
    cwd,
    root,
    role,
    project,
    digest,
    handedOff: brief === null ? null : sectionText(brief, 'Updated Context Pack'),
    earlier: answers.filter((answer) => role.reads.includes(answer.role)),
    redactor,
    acceptanceCommands,
    environment,
    ...(turn === undefined ? {} : { turn }),
    halt: context.stop,
  });
  if (composed.how === 'invalid') return composed;
  if (redactor.withheld.length > 0)
    return { how: 'invalid', message: `stage ${stage.name}: ${slowOnPrompt(redactor.withheld)}` };
  const { text, how: _, ...details } = composed;
  const warnings = [...details.warnings, ...answers.flatMap(halfRead)];
  const file = path.join(task.inputs, 'prompt', `${stage.id ?? `${stage.tool}.${stage.role}`}.md`);
  const prompt = { ...details, warnings, file, chars: text.length };
  return { how: 'done', text, prompt: { ...prompt, acceptanceCommands, proposedCommands } };
}

interface Acceptance {
  answers: EarlierAnswer[];
  /** The last answer that later stages need; null if there is none. */
  brief: string | null;
  commands: string[];
  /** Commands from a brief that the user has not trusted. */
  proposed: string[];
}

/** Returns the commands that the gate of a stage runs, and the earlier answers that name them; or what is missing. */
export function acceptanceOf(
  { open, options }: { open: OpenTask; options: RunOptions },
  plan: StagePlan,
): Acceptance | string {
  const answers = earlierAnswers(open, plan);
  if (typeof answers === 'string') return answers;
  const brief = answers.findLast((answer) => answer.handsOff)?.text ?? null;
  if (!plan.role.runsAcceptance) return { answers, brief, commands: [], proposed: [] };
  const found = brief === null ? [] : verificationCommands(brief);
  const { commands } = open.manifest.acceptance;
  return options.briefCommands === 'trusted'
    ? { answers, brief, commands: [...commands, ...found], proposed: [] }
    : { answers, brief, commands: [...commands], proposed: found };
}

const halfRead = ({ stage, text, unread }: EarlierAnswer): string[] =>
  unread === 0 ? [] : [`of the answer of ${stage} the first ${figure(text.length)} characters were read`];

/** Throws the errors of the operating system; then no call may be made with this prompt. */
export const writePrompt = ({ prompt, text }: ComposedPrompt & { how: 'done' }): Promise<void> =>
  writeAtomic(prompt.file, text, 'renamed');

interface EarlierAnswer {
  stage: string;
  role: string;
  handsOff: boolean;
  text: string;
  /** The number of further characters that were not read. */
  unread: number;
}

/** The maximum bytes of UTF-8 per character of a string. */
const BYTES_A_CHAR = 3;

/** Returns the answers of finished earlier stages that this stage's role needs, in order; or what is missing. */
function earlierAnswers({ task, journal, plans, project }: OpenTask, wanting: StagePlan): EarlierAnswer[] | string {
  const { done, calls } = journal.read().ledger;
  const before = plans.slice(
    0,
    plans.findIndex(({ stage }) => stage.name === wanting.stage.name),
  );
  const answers: EarlierAnswer[] = [];
  const maxChars = promptLimit(project.prompts, wanting.stage.tool, wanting.stage.model);
  for (const { stage, role } of before) {
    const finished = done.get(stage.name);
    if (finished === undefined || !(role.handsOff || wanting.role.reads.includes(stage.role))) continue;
    // A fallback may have answered for the tool.
    const tool = calls.get(finished.call_id ?? '')?.reserved.tool ?? stage.tool;
    const { out } = outputsOf(task, { name: stage.name, tool });
    const read = readOrNull(out, maxChars);
    // Without this answer, a prompt with half of its information would be paid like a complete one.
    if (read === null)
      return `stage ${wanting.stage.name} needs the answer of ${stage.name}, which is done, but ${out} cannot be read; put it back, or use --redo ${stage.name}`;
    answers.push({ stage: stage.name, role: stage.role, handsOff: role.handsOff, ...read });
  }
  return answers;
}

/** Reads at most as much as the prompt may have. The rest is counted by its bytes, which are never fewer than its characters. */
function readOrNull(file: string, maxChars: number): { text: string; unread: number } | null {
  try {
    const head = readHead(file, maxChars * BYTES_A_CHAR);
    const text = head.text.slice(0, maxChars);
    const isWhole = head.bytes <= maxChars * BYTES_A_CHAR && text.length === head.text.length;
    return { text, unread: isWhole ? 0 : head.bytes - Buffer.byteLength(text) };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return null;
  }
}
