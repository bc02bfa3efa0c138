// The scripts of examples/scripts, each as its own process, with fake CLIs on the PATH.

import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ownScript } from './rig/own-script.ts';
import { answerWith, failWith } from './rig/streams.ts';
import { TestRig } from './rig/test-rig.ts';

const FOLDER = path.resolve('examples/scripts');
const TSX = pathToFileURL(path.resolve('node_modules/tsx/dist/esm/index.mjs')).href;

const test = suite<{ rig: TestRig }>('examples of scripts');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  const tollgate = `#!/bin/sh\nexec '${process.execPath}' '${path.resolve('dist/tollgate.cjs')}' "$@"\n`;
  writeFileSync(path.join(context.rig.bin, 'tollgate'), tollgate, { mode: 0o755 });
});
test.after.each(({ rig }) => rig.dispose());

/** Runs a script as it was compiled with the tests; tsx costs 0.3 s of CPU each time. */
const script = (rig: TestRig, name: string, ...argv: string[]) =>
  start(rig, [...ownScript(path.join(FOLDER, name)), ...argv]);

const start = ({ project, env }: TestRig, words: string[]) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, words, { cwd: project, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

test('each is short enough to read before it is copied', () => {
  const names = readdirSync(FOLDER).sort();
  assert.equal(names, ['branch-on-class.ts', 'nightly.ts', 'two-reviews.ts']);
  for (const name of names) assert.ok(readFileSync(path.join(FOLDER, name), 'utf8').split('\n').length <= 40, name);
});

test('branch-on-class: an answer, and each branch of a failure', async ({ rig }) => {
  rig.answer(() => answerWith('gemini', 'It opens.'));
  const source = path.join(FOLDER, 'branch-on-class.ts');
  const { code, stdout, stderr } = await start(rig, ['--import', TSX, source, 'gemini', '-v is what?']);
  assert.equal([code, stdout.trim()], [0, 'It opens.'], stderr);
  for (const [message, status, exit, says] of [
    ['You have exhausted your daily quota on this model.', 429, 75, /^Try again .*, or call another CLI\.$/m],
    ['API key not valid. Please pass a valid API key.', 401, 77, /^Sign in to gemini first\.$/m],
    ['The model is overloaded. Please try again later.', 503, 1, /^transient\/.*\n- ./],
  ] as const) {
    rig.answer(() => failWith('gemini', message, status));
    const failed = await script(rig, 'branch-on-class.ts', 'gemini', 'Say it.');
    assert.equal([failed.code, failed.stdout], [exit, ''], failed.stderr);
    assert.match(failed.stderr, says);
  }
  const wrong = await script(rig, 'branch-on-class.ts', 'nocli', 'Say it.');
  assert.is(wrong.code, 1);
  assert.match(wrong.stderr, 'nocli');
});

test('two-reviews: the findings that both CLIs name are first', async ({ rig }) => {
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@test', ...words], { cwd: rig.project, env: rig.env });
  git('init', '--quiet', '--initial-branch=main');
  git('commit', '--quiet', '--allow-empty', '-m', 'Begin');
  git('checkout', '--quiet', '-b', 'change');
  rig.write('a.ts', 'const a = 1;\n');
  git('add', 'a.ts');
  git('commit', '--quiet', '-m', 'Change');
  const at = (file: string, line: number, problem: string) => ({ file, line, problem });
  const found = {
    codex: [at('b.ts', 9, 'by codex alone'), at('a.ts', 4, 'by both')],
    claude: [at('a.ts', 6, 'the same in other words'), at('a.ts', 40, 'by claude\n\talone')],
  };
  rig.answer(({ report }) => {
    const tool = report.tool as keyof typeof found;
    return answerWith(tool, JSON.stringify({ findings: found[tool] }));
  });
  const { code, stdout, stderr } = await script(rig, 'two-reviews.ts');
  assert.is(code, 0, stderr);
  assert.equal(stdout.trim().split('\n'), [
    'both\ta.ts:4\tby both',
    'one\tb.ts:9\tby codex alone',
    'one\ta.ts:40\tby claude alone',
  ]);
  assert.equal(rig.calls.map(({ report }) => report.tool).sort(), ['claude', 'codex']);
  for (const { report } of rig.calls) assert.match(report.stdin.text, '+const a = 1;');
  // codex gets the schema by its flag, which it refuses for a schema that is not strict.
  assert.ok(rig.calls.find(({ report }) => report.tool === 'codex')!.report.argv.includes('--output-schema'));
  rig.answer(({ report }) =>
    report.tool === 'codex'
      ? failWith('codex', 'The server is overloaded.', 503)
      : answerWith('claude', JSON.stringify({ findings: [] })),
  );
  const failed = await script(rig, 'two-reviews.ts');
  assert.equal([failed.code, failed.stdout], [1, '']);
  assert.match(failed.stderr, /^tollgate call codex: transient \(overloaded\) .*\nfiles: /);
});

test('nightly: a report of all tasks, and a failure of one is a failure of the script', async ({ rig }) => {
  const stages = (tool: string) => [{ tool, role: 'review', requires: [], min_lines: 0 }];
  for (const [id, tool] of [
    ['good', 'codex'],
    ['poor', 'claude'],
  ] as const)
    rig.write(`tasks/${id}/manifest.json`, JSON.stringify({ task_id: id, goal: 'Look.', stages: stages(tool) }));
  let isSignedIn = false;
  rig.answer(({ report }) =>
    report.tool === 'codex' || isSignedIn
      ? answerWith(report.tool as 'codex', 'done')
      : failWith('claude', 'Invalid API key', 401),
  );
  const first = await script(rig, 'nightly.ts', 'tasks');
  assert.is(first.code, 1, first.stderr);
  assert.match(first.stdout, /^done\tgood\t1 calls\t$/m);
  assert.match(first.stdout, /^failed\tpoor\t1 calls\tauth\//m);
  assert.match(first.stdout, /^1 of 2 done, 2 calls\n- ./m);
  isSignedIn = true;
  const second = await script(rig, 'nightly.ts', 'tasks');
  assert.is(second.code, 0, second.stdout + second.stderr);
  assert.match(second.stdout, /^2 of 2 done, 1 calls$/m);
});

test.run();
