// A working folder that was deleted, or whose path is too long, is bad input and no internal error.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TOLLGATE_EXIT, WAIT_EXIT, WRAPPER_EXIT } from '../../policies/facts/exit-codes.ts';
import { TOOLS } from '../../policies/facts/tools.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';

const DIST = path.resolve('dist');

const test = suite<{ home: string }>('working folder');
test.before.each((context) => {
  context.home = mkdtempSync(path.join(tmpdir(), 'tollgate-cwd-'));
  writeFileSync(path.join(context.home, 'said.txt'), 'Error: quota exceeded for today\n');
});
// rm goes from folder to folder; Node would name the over-long path.
test.after.each(({ home }) => void spawnSync('rm', ['-rf', '--', home]));

/** How a shell comes to be in such a folder. */
const FOLDERS = {
  deleted: 'mkdir gone && cd gone && rmdir ../gone',
  'over-long': `i=0; while [ $i -lt 25 ]; do mkdir ${'x'.repeat(200)} && cd ${'x'.repeat(200)} || exit 99; i=$((i + 1)); done`,
} as const;

const inFolder = (home: string, folder: keyof typeof FOLDERS, command: string, input = '') =>
  spawnSync('bash', ['-c', `${FOLDERS[folder]}; exec "${process.execPath}" "${DIST}"/${command}`], {
    cwd: home,
    input,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: home },
  });

const REFUSED: [command: string, code: number][] = [
  ...['run x', 'batch x', 'report', 'status', 'doctor', 'init x', 'console', 'wait x'].map(
    (words) => [`tollgate.cjs ${words}`, TOLLGATE_EXIT.badInput] as [string, number],
  ),
  ['preflight.cjs', TOLLGATE_EXIT.badInput],
  ['wait_parallel_tasks.cjs x', WAIT_EXIT.badInput],
  ...TOOLS.map((tool): [string, number] => [
    `${ADAPTERS[tool].command}.cjs --prompt-file /etc/hostname --out /dev/null --err /dev/null`,
    WRAPPER_EXIT[tool].badInput,
  ]),
];

for (const folder of Object.keys(FOLDERS) as (keyof typeof FOLDERS)[]) {
  for (const [command, code] of REFUSED)
    test(`${folder}: ${command.split(' --')[0]} exits ${code} and names the folder`, ({ home }) => {
      const { status, stderr } = inFolder(home, folder, command);
      assert.is(status, code, stderr);
      assert.match(stderr, /working folder/);
      assert.not.match(stderr, /bug of tollgate/);
    });

  for (const [word, wanted] of [
    ['triage', /^quota/],
    ['signature', /^v1:/],
  ] as const)
    test(`${folder}: ${word} needs none`, ({ home }) => {
      const said = path.join(home, 'said.txt');
      const { status, stdout, stderr } = inFolder(home, folder, `tollgate.cjs ${word} --tool claude "${said}"`);
      assert.is(status, 0, stderr);
      assert.match(stdout, wanted);
    });
}

test('a reader of triage --jsonl that leaves early is no mistake of the input', ({ home }) => {
  const line = `${JSON.stringify({ id: 'a', tool: 'claude', stderr: `Error: quota exceeded ${'x'.repeat(2000)}` })}\n`;
  const many = path.join(home, 'many.jsonl');
  writeFileSync(many, line.repeat(2000));
  const shell = `cat '${many}' | "${process.execPath}" "${DIST}"/tollgate.cjs triage --jsonl | head -c 10 >/dev/null; echo "\${PIPESTATUS[1]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', shell], { cwd: home, encoding: 'utf8' });
  assert.equal([stdout.trim(), stderr], ['0', '']);
});

test.run();
