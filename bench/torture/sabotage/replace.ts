// Replaces a file or folder by another thing, as an agent with the user's rights can.

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { makeHuge } from '../../../test/rig/huge-file.ts';
import type { SabotageWorld } from './world.ts';

/**
 * Moves a folder away completely and keeps it; deletes a file.
 * @returns whether anything was done.
 */
export async function replaceBy(by: Replacement, place: string, salt: number, world: SabotageWorld): Promise<boolean> {
  const old = textOf(place);
  if (by === 'edit' && old === null) return false;
  const made = path.join(world.root, `made-${salt}`);
  await MAKE[by]({ made, place, old: old ?? '', salt, world });
  if (!isMade(path.dirname(place))) return false;
  // A writer there may be quicker, more than once.
  for (let tries = 0; ; tries++) {
    if (isFolder(place)) renameSync(place, path.join(world.stolen, `${path.basename(place)}-${salt}-${tries}`));
    else rmSync(place, { force: true });
    if (by === 'gone') return true;
    try {
      renameSync(made, place);
      return true;
    } catch (error) {
      if (tries === 9) throw error;
    }
  }
}

/** An earlier act may have closed the way there. */
function isMade(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    return true;
  } catch {
    return false;
  }
}

interface Making {
  made: string;
  place: string;
  old: string;
  salt: number;
  world: SabotageWorld;
}

export type Replacement = keyof typeof MAKE;

export const MAKE = {
  fifo: ({ made }) => void execFileSync('mkfifo', [made]),
  folder: ({ made }) => mkdirSync(made),
  full_folder: ({ made }) => {
    mkdirSync(path.join(made, 'deep/er'), { recursive: true });
    writeFileSync(path.join(made, 'deep/er/file.json'), '{"sabotaged":true}\n');
    writeFileSync(path.join(made, 'manifest.yaml'), 'sabotaged');
  },
  link_to_file: ({ made, world }) => symlinkSync(path.join(world.person, 'precious.md'), made),
  link_to_folder: ({ made, world }) => symlinkSync(path.join(world.person, 'folder'), made),
  loop: ({ made, place }) => symlinkSync(path.basename(place), made),
  link_to_zero: ({ made }) => symlinkSync('/dev/zero', made),
  dangling: ({ made, world }) => symlinkSync(path.join(world.person, 'not-there'), made),
  device: ({ made }) => device(made),
  huge: ({ made }) => makeHuge(made),
  socket: ({ made, world }) => socket(made, world),
  edit: ({ made, place, old, salt, world }) => writeFileSync(made, edited(path.basename(place), old, salt, world)),
  text: ({ made, salt }) => writeFileSync(made, TEXTS[salt % TEXTS.length]!),
  gone: () => undefined,
} satisfies Record<string, (making: Making) => void | Promise<void>>;

const TEXTS = [
  'sabotaged\n',
  '',
  'null\n',
  '[]\n',
  '{"schema":99}\n',
  '\0'.repeat(4096),
  `${'['.repeat(5000)}\n`,
  '\xff\xfe{"v":1',
];

/** Endless to read; without the right to make one, a FIFO. */
function device(place: string): void {
  try {
    execFileSync('mknod', [place, 'c', '1', '5'], { stdio: 'ignore' });
  } catch {
    execFileSync('mkfifo', [place]);
  }
}

/** Bound under a short name, since an address has at most 107 bytes. */
function socket(place: string, { root }: SabotageWorld): Promise<void> {
  const short = path.join(root, 's');
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(short, () => {
      renameSync(short, place);
      server.unref();
      server.close(() => resolve());
    });
  });
}

const isFolder = (place: string): boolean => lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true;

function textOf(place: string): string | null {
  const found = existsSync(place) ? lstatSync(place) : null;
  return found?.isFile() && found.size < 1e7 ? readFileSync(place, 'utf8') : null;
}

// How an agent edits a file of tollgate to its advantage: budgets raised, lines removed, folders renamed, its own commands.

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
