// npm run demo:distill: the example book, an EPUB, is distilled by the real command against the service that is shipped with it.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from './rig/temporary-folder.ts';

test('the example book is distilled to its end, past an overload', async () => {
  const root = temporaryFolder('demo-');
  mkdirSync(path.join(root, 'home'));
  const { code, output } = await demo(root);
  assert.is(code, 0, output);
  assert.match(output, /two-speeches: complete\n {2}4 sections; /);
  assert.match(output, /503: The model is overloaded\. Please try again later\.; attempt 2/);
  const folder = path.join(root, '.tmp/distill/two-speeches');
  const document = readFileSync(path.join(folder, 'two-speeches.md'), 'utf8');
  assert.equal(document.match(/^## .*/gm), [
    '## A field, and what may be done there',
    '## The turn: who is dedicated to what',
    '## Four years later: neither party expected this',
    '## With malice toward none',
  ]);
  // What it quotes stands in the book, and the book is read as a person would.
  const book = readFileSync(path.join(folder, 'book.txt'), 'utf8').replace(/\s+/g, ' ');
  const quoted = document.match(/^> .*/gm)!.map((line) => line.slice(2));
  assert.is(quoted.length, 4);
  assert.equal(
    quoted.filter((sentence) => !book.includes(sentence)),
    [],
  );
});

function demo(root: string): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [path.resolve('examples/distill/start.mjs')], {
    cwd: root,
    env: { PATH: '/usr/bin:/bin', HOME: path.join(root, 'home'), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

test.run();
