// What the pages say can be typed: each command and each flag that they name is in that command's help.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGES, shellBlocks } from '../rig/pages.ts';

const { bin, scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
  'bin' | 'scripts',
  Record<string, string>
>;

/** Flags that others define: npm's, git's, those of our benches, which npm hands on, and of the CLIs. */
const FOREIGN = new Set([
  ...['--real', '--rounds', '--minutes', '--seed', '--only', '--lanes', '--csv'],
  ...['--sabotage', '--sessions', '--supervise', '--distill', '--limits'],
  ...['--save-dev', '--ignore-scripts'],
  // Of the CLIs.
  ...['--usage-output-file', '--allow-all-tools', '--allow-all-paths', '--settings'],
]);

const helps = new Map<string, string>();
const SUBCOMMANDS = [...help(['tollgate']).matchAll(/^.{10}([a-z]+) {2}/gm)].map(([, word]) => word as string);
const FLAGS = new Set(
  [...Object.keys(bin).map((name) => [name]), ...SUBCOMMANDS.map((word) => ['tollgate', word])].flatMap((words) =>
    flagsOf(help(words)),
  ),
);

for (const [page, text] of PAGES)
  test(`${page} names what exists`, () => {
    const wrong: string[] = [];
    const said = [...shellBlocks(page, text).flatMap((block) => linesOf(block.text)), ...spansOf(text)];
    for (const line of said) wrong.push(...mistakesOf(line));
    assert.equal(wrong, []);
  });

test('docs/reference.md has each command in its table', () => {
  const [, table = ''] = PAGES.get('docs/reference.md')!.split('\n## Commands\n');
  const said = new Set(spansOf(table.split('\n## ')[0]!).flatMap((span) => span.split(' ')));
  const words = SUBCOMMANDS.filter((word) => word !== 'wait').concat('wait_parallel_tasks');
  assert.equal(
    words.filter((word) => !said.has(word)),
    [],
  );
});

/** What a shell would take for one command each, without its remarks. */
function linesOf(block: string): string[] {
  return block
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll(/"[^"]*"|'[^']*'/g, 'TEXT')
    .replaceAll(/(?:^|\s)#.*$/gm, '')
    .split(/\n|\|\|?|&&?|;/)
    .map((line) => line.trim());
}

/** Text between back ticks, blocks apart. */
function spansOf(text: string): string[] {
  return [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, span]) =>
    (span as string).replaceAll('\\|', '|'),
  );
}

function mistakesOf(line: string): string[] {
  const words = line.split(/\s+/).filter((word) => word !== 'npx');
  const [first = ''] = words;
  if (first.startsWith('--'))
    return flagsOf(first).flatMap((flag) => (FLAGS.has(flag) || FOREIGN.has(flag) ? [] : [`${line}: no such flag`]));
  if (first === 'npm') {
    const script = words[1] === 'run' ? (words[2] ?? '') : '';
    return script === '' || script in scripts ? [] : [`${line}: no such script`];
  }
  if (!(first in bin)) return [];
  const second = words[1] ?? '';
  const isSub = first === 'tollgate' && /^[a-z]/.test(second);
  if (isSub && !SUBCOMMANDS.includes(second)) return [`${line}: no such command`];
  const known = flagsOf(help(isSub ? [first, second] : [first]));
  return flagsOf(line).flatMap((flag) => (known.includes(flag) ? [] : [`${line}: ${flag} is not in its help`]));
}

function flagsOf(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z\d-]*/gi)].map(([flag]) => flag.replace(/-\d+-/, '-N-'));
}

function help(words: readonly string[]): string {
  const key = words.join(' ');
  const [command = '', ...rest] = words;
  // Most commands print this file.
  const kept = `dist/help/${words.join('-')}.full.txt`;
  const text =
    helps.get(key) ??
    (existsSync(kept)
      ? readFileSync(kept, 'utf8')
      : execFileSync(process.execPath, [bin[command] as string, ...rest, '--help', '--all'], { encoding: 'utf8' }));
  helps.set(key, text);
  return text;
}

test.run();
