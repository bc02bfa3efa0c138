// Runs tollgate over invented sessions of a rig's home.

import type { BuiltIn } from '../../policies/facts/tools.ts';
import { type MadeTurn, makeSession } from './session-files.ts';
import type { TestRig } from './test-rig.ts';

export interface Told {
  code: number | null;
  out: string;
  err: string;
  /** The object of --json. */
  object(): Record<string, unknown> & { turns: ShownTurn[] };
}

interface ShownTurn {
  number: number;
  state: string;
  part: string;
  prompt: string;
  items: { how: string; text?: string }[];
}

export async function tollgate(rig: TestRig, words: string[], env: Record<string, string> = {}): Promise<Told> {
  const { code, stdout, stderr } = await rig.run('tollgate', words, { env });
  return { code, out: stdout, err: stderr, object: () => JSON.parse(stdout) };
}

/** @returns its file. */
export const makeIn = (rig: TestRig, tool: BuiltIn, turns: readonly MadeTurn[], id?: string): string =>
  makeSession(tool, rig, turns, id);

/** A turn in one word: `+1:one=ONE` is active, `-` is not, and a `~` marks the remaining part of one. */
export async function standsIn(rig: TestRig, id: string): Promise<string> {
  const { turns } = (await tollgate(rig, ['history', id, '--all', '--json'])).object();
  return turns
    .map(({ state, part, prompt, items }) => {
      const said = items.flatMap(({ how, text }) => (how === 'said' ? [text] : [])).join('|');
      return `${state === 'active' ? '+' : '-'}${part === 'rest' ? '~' : prompt}=${said}`;
    })
    .join(' ');
}
