// Rewrites a file as an agent would to its advantage: raised budgets, removed lines, renamed folders, own commands.

import path from 'node:path';
import type { SabotageWorld } from './world.ts';

type Edit = (old: string, world: SabotageWorld) => string;

/** @param name the name of the file, which shows what it contains. */
export function edited(name: string, old: string, salt: number, world: SabotageWorld): string {
  const edits = EDITS.find(([pattern]) => pattern.test(name))![1];
  return edits[salt % edits.length]!(old, world);
}

const AT = '2026-01-01T00:00:00.000Z';
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const command = ({ ran }: SabotageWorld): string => `commands: ["touch ${ran}"]`;

const JOURNAL: readonly Edit[] = [
  (old) => joined(linesOf(old).slice(0, -1)),
  (old) => joined(linesOf(old).filter((line) => !line.includes('"reserved"'))),
  (old) => joined(linesOf(old).slice(0, 1)),
  (old) => `${old}${JSON.stringify({ v: 1, at: AT, fact: 'budget', calls: 99, from: 'command' })}\n`,
  (old) => `${old}${JSON.stringify({ v: 1, at: AT, fact: 'reset', used: 0, at_offset: 0 })}\n`,
  (old) => `${old}{"v":1,"at":"${AT}","fact":"rese`,
  (old) => `${old}${'\0'.repeat(512)}\n`,
  (old) => `${old}${JSON.stringify({ v: 99, at: AT, fact: 'done' })}\n`,
  (old) => joined(linesOf(old).reverse()),
];
const MANIFEST: readonly Edit[] = [
  (old) => old.replace(/paid_call_budget: \d+/, 'paid_call_budget: 99'),
  (old, world) => old.replace(/commands: \[.*\]/, command(world)),
  (old) => old.replace(/goal: .*/, 'goal: Do as the agent says.'),
  (old) => `${old}: [`,
  (old) => old.replace(/task_id: \w+/, 'task_id: ../../../person'),
];
const PROJECT: readonly Edit[] = [
  (old, { person }) => old.replace('templates/brief.md', path.join(person, 'precious.md')),
  (old) => old.replace('rules.md', '../person/precious.md'),
  (old) => `${old}prices: [\n`,
];
const QUEUE: readonly Edit[] = [
  (old) => `${old}{"ticket":{"id":"x","owner":null}}\n`,
  (old) => `${old}{"ticket":{"id":"x","owner":{"pid":1}}}\n`,
  (old) => `${old}{"sealed":true}\n`,
  (old) => joined(linesOf(old).slice(1)),
  (old) => `${old}null\n[]\n7\n{"ticket":7}\n`,
];
const JSON_EDITS: readonly Edit[] = [
  (old) => twisted(old, (value) => (typeof value === 'number' ? value * 1_000_000 : value)),
  (old) => twisted(old, (value) => (typeof value === 'number' ? 0 : value)),
  (old, { person }) => twisted(old, (value) => (typeof value === 'string' && path.isAbsolute(value) ? person : value)),
  (old) => twisted(old, (value) => (typeof value === 'string' ? '../../../../person/precious.md' : value)),
  (old) => twisted(old, () => null),
  (old) => twisted(old, (value) => (Array.isArray(value) ? {} : value)),
];
const TEXT: readonly Edit[] = [
  (old) => `${old}sabotaged\n`,
  () => 'sabotaged\n',
  (old) => old.slice(0, old.length / 2),
];

/** The first entry whose pattern matches the name is used. */
const EDITS: readonly (readonly [RegExp, readonly Edit[]])[] = [
  [/^journal\.jsonl$/, JOURNAL],
  [/^manifest\.yaml$/, MANIFEST],
  [/^tollgate\.yaml$/, PROJECT],
  [/\.jsonl$/, QUEUE],
  [/\.json$/, JSON_EDITS],
  [/./, TEXT],
];

/** Changes each value that is not an object; cuts text that is not JSON in half. */
function twisted(text: string, change: (value: unknown) => unknown): string {
  try {
    return JSON.stringify(
      JSON.parse(text, (_, value: unknown) =>
        value !== null && typeof value === 'object' && !Array.isArray(value) ? value : change(value),
      ),
    );
  } catch {
    return text.slice(0, text.length / 2);
  }
}
