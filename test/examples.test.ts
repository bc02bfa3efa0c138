// The examples of the pages run: each block of shell in a scratch project, with the replay CLI instead of the real ones. A remark says why one
// is not run, or that any exit of its lines is right but that of a wrong command line (2), an internal error (70) and a missing command (127).

import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGES, shellBlocks } from './rig/pages.ts';

const test = suite<{ root: string }>('examples of the pages');
test.before((context) => {
  context.root = mkdtempSync(path.join(tmpdir(), 'pages-'));
  mkdirSync(path.join(context.root, 'bin'));
  mkdirSync(path.join(context.root, 'home'));
  // As npm links them.
  const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: Record<string, string> };
  for (const [name, file] of Object.entries(bin)) {
    symlinkSync(path.resolve(file), path.join(context.root, 'bin', name));
    chmodSync(file, 0o755);
  }
});
test.after(({ root }) => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));

for (const [page, text] of PAGES) {
  const blocks = shellBlocks(page, text);
  test(`${page}: a block that is not run says why`, () => {
    const unsaid = blocks.filter(({ remark }) => remark !== null && !/^(?:not run|any exit): \S.{9,}/.test(remark));
    assert.equal(
      unsaid.map(({ at, remark }) => `${at}: ${remark}`),
      [],
    );
  });

  const run = blocks.filter(({ remark }) => !remark?.startsWith('not run'));
  if (run.length > 0)
    test(`${page}: ${run.length} blocks run one after another`, async ({ root }) => {
      const project = path.join(root, page.replaceAll(/\W/g, '-'));
      mkdirSync(project);
      assert.is((await shell(REPOSITORY, project, root)).code, 0);
      for (const { at, text, remark } of run) {
        const scripts = remark === null ? [text] : text.split('\n');
        for (const script of scripts) {
          const { code, output } = await shell(script, project, root);
          const isRight = remark === null ? code === 0 : code !== null && ![2, 70, 127].includes(code);
          assert.ok(isRight, `${at} exits ${code}\n${script}\n\n${output}`);
        }
      }
    });
}

/** With a first commit, as a reader has one. */
const REPOSITORY =
  'git init -q && git config user.name User && git config user.email user@localhost && git commit -q --allow-empty -m first';

/** Runs a block as a script that ends at its first failing command; a command in the background is its own affair. */
function shell(script: string, cwd: string, root: string): Promise<{ code: number | null; output: string }> {
  const folders = [path.join(root, 'bin'), path.resolve('examples/replay'), path.dirname(process.execPath)];
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { PATH: [...folders, '/usr/bin', '/bin'].join(':'), HOME: path.join(root, 'home'), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

test.run();
