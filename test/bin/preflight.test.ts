// The command preflight: a table for people, one object for machines, and its exit codes.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../policies/facts/tools.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite('preflight command');
let rig: TestRig;
test.before.each(async () => {
  rig = await TestRig.open();
  rig.write('.git/HEAD', '');
});
test.after.each(() => rig.dispose());

const run = (argv: string, env: Record<string, string> = {}) =>
  rig.start('preflight', argv.split(' '), { env: { CODEX_API_KEY: 'k', ...env } }).result;

const MISTAKES: readonly [argv: string, sentence: string][] = [
  ['--tools', '--tools needs a value'],
  ['--tools --quick', '--tools needs a value, but "--quick" follows; write --tools=--quick if that is the value'],
  ['--tools codx', `--tools: "codx" is not one of ${TOOLS.join(', ')}; did you mean codex?`],
  ['--tools codex,', `--tools: "" is not one of ${TOOLS.join(', ')}`],
  ['--tool codex', 'unknown flag --tool; did you mean --tools?'],
  ['codex', '"codex" is one word too many'],
];

for (const [argv, sentence] of MISTAKES)
  test(`"${argv}" is refused: ${sentence}`, async () => {
    const { code, stdout, stderr } = await run(argv);
    assert.equal([code, stdout, stderr.split('\n')[0]], [2, '', `preflight: ${sentence}`]);
  });

test('the table says what was found, and ends with the verdict', async () => {
  const { code, stdout, stderr } = await run('--quick --tools codex');
  const lines = stdout.replaceAll(rig.root, '~').split('\n');
  assert.equal([code, stderr], [0, '']);
  assert.ok(lines.includes('ok    codex command  ~/bin/codex'), stdout);
  assert.ok(lines.includes('ok    codex sign-in  by CODEX_API_KEY'), stdout);
  assert.is(lines.at(-2)?.startsWith('Ready'), true);
});

test('--quiet prints problems alone, each with its way out, and the verdict', async () => {
  rig.uninstall('codex');
  const { code, stdout } = await run('--quick --quiet --tools codex');
  assert.is(code, 1);
  assert.is(
    stdout,
    'fail  codex command  codex is not found\n                     → npm install -g @openai/codex@0.171.0\nNot ready: 1 failed. `tollgate doctor` says what to fix first.\n',
  );
});

test('--json puts one object on stdout, also when a check fails', async () => {
  rig.uninstall('codex');
  const { code, stdout, stderr } = await run('--quick --json --quiet --tools codex');
  const report = JSON.parse(stdout);
  assert.equal([code, stderr, report.schema, report.ok], [1, '', 1, false]);
  assert.equal(
    report.findings.find(({ status }: { status: string }) => status === 'fail'),
    {
      check: 'codex command',
      status: 'fail',
      found: 'codex is not found',
      fix: 'npm install -g @openai/codex@0.171.0',
    },
  );
});

test('no secret is printed', async () => {
  const secret = 'sk-do-not-tell';
  const env = {
    CODEX_API_KEY: secret,
    GEMINI_API_KEY: secret,
    GH_TOKEN: secret,
    HTTPS_PROXY: `http://u:${secret}@lan`,
  };
  const { stdout, stderr } = await run('--quick --json', env);
  assert.not.match(stdout + stderr, secret);
});

test.run();
