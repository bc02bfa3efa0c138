// Composes the prompt of a stage from the manifest and the task's inputs: the same inputs give the same bytes.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Tool } from '../../policies/tools.ts';
import type { Manifest, Stage } from '../../state/manifest-schema.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { writeWhole } from '../../state/whole-file.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';

export interface Prompt {
  file: string;
  sha256: string;
}

export type Composed = { how: 'composed'; prompt: Prompt } | { how: 'mistaken'; message: string };

/** How much of the request and the context an aggressive digest keeps, from head and tail. */
const DIGEST_CHARS = 4000;

export async function composePrompt(...of: Parameters<typeof compose>): Promise<Composed> {
  try {
    return await compose(...of);
  } catch (error) {
    if (error instanceof Unreadable) return { how: 'mistaken', message: error.message };
    throw error;
  }
}

async function compose(
  task: TaskFolder,
  manifest: Manifest,
  stage: Stage,
  digest: 'off' | 'aggressive',
): Promise<Composed> {
  const template = stage.prompt === undefined ? null : readInput(path.resolve(task.root, stage.prompt));
  if (stage.prompt !== undefined && template === null)
    return {
      how: 'mistaken',
      message: `stage ${stage.name}: its prompt ${stage.prompt} cannot be read in ${task.root}`,
    };
  const parts: [heading: string, text: string | null][] = [
    ['Role', template ?? `You do the part "${stage.role}" of the task ${manifest.task_id}.`],
    ['Goal', manifest.goal],
    ['Request', readInput(path.join(task.inputs, 'user_request.md'))],
    ['Context', digest === 'aggressive' ? null : readInput(path.join(task.inputs, 'context_pack.md'))],
    ['Allowed scope', list(manifest.scope.allow)],
    ['Do not change', list(manifest.scope.deny)],
    ['Acceptance', list(manifest.acceptance.criteria)],
    ['Your answer must have these sections', list(stage.requires ?? [])],
  ];
  const text = parts
    .flatMap(([heading, part]) =>
      part === null || part.trim() === '' ? [] : [`# ${heading}\n\n${shorten(part.trim(), digest)}\n`],
    )
    .join('\n');
  const file = path.join(task.inputs, 'prompt', `${stage.id ?? `${stage.tool}.${stage.role}`}.md`);
  await writeWhole(file, text);
  return { how: 'composed', prompt: { file, sha256: sentHash(stage.tool, text) } };
}

/** Over the bytes that the CLI will get, as the call record has it. */
export function sentHash(tool: Tool, text: string): string {
  const sent = ADAPTERS[tool].prompt.escape(Buffer.from(text).toString('latin1'));
  return createHash('sha256').update(Buffer.from(sent, 'latin1')).digest('hex');
}

const list = (items: readonly string[]): string | null =>
  items.length === 0 ? null : items.map((item) => `- ${item}`).join('\n');

function shorten(text: string, digest: 'off' | 'aggressive'): string {
  if (digest === 'off' || text.length <= DIGEST_CHARS) return text;
  const half = DIGEST_CHARS / 2;
  return `${text.slice(0, half)}\n\n[${text.length - DIGEST_CHARS} characters left out]\n\n${text.slice(-half)}`;
}

/** null when there is none; throws when it is there and cannot be read, since half a prompt is paid like a whole one. */
function readInput(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new Unreadable(`${file} cannot be read (${code})`);
  }
}

class Unreadable extends Error {}
