// Reads the variants of a comparison: each is a CLI, with a model or an account of its own.

import { TOOL_NAME, type Tool } from '../facts/tools.ts';
import { ACCOUNT_NAME } from '../limits/user-accounts.ts';

/** `n` counts from 1; `name` is unique within the comparison. */
export interface Variant {
  n: number;
  name: string;
  tool: Tool;
  model: string | null;
  account: string | null;
}

export const VARIANT_FORM = 'TOOL[:MODEL][@ACCOUNT]';

/** Of each variant of a prompt: one answer, and two retries. */
export const CALLS_OF_A_PROMPT = 3;

const FEWEST = 2;
const MOST = 16;

/**
 * @param words each as `codex`, `claude:opus`, `codex@team` or `claude:opus@team`. A model whose own name has an `@` is followed
 * by one more: `claude:opus@2026@`.
 * @returns a sentence if they cannot be used.
 */
export function readVariants(words: readonly string[]): Variant[] | string {
  if (words.length < FEWEST || words.length > MOST)
    return `a comparison has ${FEWEST} to ${MOST} variants, and ${words.length} ${words.length === 1 ? 'is' : 'are'} given: name each by --with ${VARIANT_FORM}`;
  const variants: Variant[] = [];
  for (const word of words) {
    const read = readVariant(word);
    if (typeof read === 'string') return read;
    const plain = [
      read.tool,
      ...(read.model === null ? [] : [read.model]),
      ...(read.account === null ? [] : [read.account]),
    ];
    const base = plain
      .join('-')
      .replace(/[^A-Za-z0-9_.-]+/g, '-')
      .slice(0, MOST_OF_NAME);
    const taken = new Set(variants.map(({ name }) => name));
    let name = base;
    for (let again = 2; taken.has(name); again++) name = `${base}-${again}`;
    variants.push({ n: variants.length + 1, name, ...read });
  }
  return variants;
}

const MOST_OF_NAME = 60;

function readVariant(word: string): Omit<Variant, 'n' | 'name'> | string {
  const [, tool = '', model = null, account = null] = /^([^:@]*)(?::(.*?))?(?:@([^@]*))?$/s.exec(word) ?? [];
  if (!TOOL_NAME.test(tool)) return `--with takes ${VARIANT_FORM}, such as codex or claude:opus, not "${word}"`;
  if (model !== null && !/^[^-\s\p{Cc}][^\p{Cc}]*$/u.test(model))
    return `--with ${word}: the model must be one line that does not begin with a dash`;
  const isEscaped = account === '' && model !== null;
  if (account !== null && !isEscaped && !ACCOUNT_NAME.test(account))
    return `--with ${word}: the account must be a word of a-z 0-9 _ - (tollgate accounts lists yours)`;
  return { tool: tool as Tool, model, account: isEscaped ? null : account };
}

/** The variant that a user names by its number or its name; null if there is none. */
export const variantOf = <T extends { n: number; name: string }>(word: string, variants: readonly T[]): T | null =>
  variants.find(({ n, name }) => String(n) === word || name === word) ?? null;
