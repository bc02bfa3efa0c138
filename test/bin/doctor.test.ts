// tollgate doctor: preflight's findings as things to do, the gravest first, each with the line that shows whether it is mended.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../policies/facts/tools.ts';
import { makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate doctor');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.rig.write('.git/HEAD', '');
});
test.after.each(({ rig }) => rig.dispose());

const doctor = (rig: TestRig, ...argv: string[]) => rig.run('tollgate', ['doctor', '--quick', ...argv]);

test('what must be done before what may, and how it is checked', async ({ rig }) => {
  rig.uninstall('codex');
  const certificates = { CODEX_API_KEY: 'k', NODE_EXTRA_CA_CERTS: '/nowhere\u001b[31m.pem' };
  const { code, stdout } = await rig.run('tollgate', ['doctor', '--quick', '--tools=codex'], { env: certificates });
  const [first, ...others] = stdout.trimEnd().split('\n\n');
  assert.is(code, 1);
  assert.is(
    first,
    '1. must  codex command: codex is not found\n   do    npm install -g @openai/codex@0.171.0\n   check tollgate preflight --tools codex',
  );
  assert.match(
    others.at(-2)!,
    /^\d\. may {2}certificates: .*\/nowhere \[31m\.pem.*\n {3}do {4}unset it, .*\n {3}check tollgate preflight$/,
  );
  assert.is(others.at(-1), '1 problem to fix first, from the top. Then run `tollgate doctor` again.');
});

test('its steps are the findings of preflight that are wrong, no more and no fewer', async ({ rig }) => {
  rig.uninstall('claude');
  const { code, stdout } = await doctor(rig, '--json');
  const { ok, steps } = JSON.parse(stdout) as { ok: boolean; steps: { check: string; status: string }[] };
  const told = JSON.parse((await rig.run('preflight', ['--quick', '--json'])).stdout) as {
    findings: { check: string; status: string }[];
  };
  assert.equal([code, ok], [1, false]);
  const wrong = (status: string) =>
    told.findings.filter((finding) => finding.status === status).map(({ check }) => `${status} ${check}`);
  assert.equal(
    steps.map(({ status, check }) => `${status} ${check}`),
    [...wrong('fail'), ...wrong('warn')],
  );
});

test('a flag of preflight that changes something is not one of its flags', async ({ rig }) => {
  const { code, stderr } = await doctor(rig, '--sweep');
  assert.equal([code, stderr.split('\n')[0]], [2, 'tollgate doctor: unknown flag --sweep']);
});

test('it looks at the CLIs that tasks name, and at all where there is no task', async ({ rig }) => {
  for (const tool of TOOLS) rig.uninstall(tool);
  const missing = async () => {
    const { stdout } = await doctor(rig, '--json');
    return (JSON.parse(stdout) as { steps: { check: string }[] }).steps
      .flatMap(({ check }) => /^(\w+) command$/.exec(check)?.[1] ?? [])
      .sort();
  };
  assert.equal(await missing(), [...TOOLS].sort());
  makeTask(rig, { stages: [{ tool: 'codex', role: 'worker', fallback: [{ tool: 'gemini' }] }] });
  assert.equal(await missing(), ['codex', 'gemini']);
  rig.write('tollgate.yaml', 'pipelines: {own: [{tool: claude, role: review}]}\n');
  assert.equal(await missing(), ['codex', 'gemini']);
  const trusted = await doctor(rig, '--json', '--trust-workspace');
  assert.match(trusted.stdout, 'claude command');
  assert.not.match(trusted.stdout, 'copilot command');
});

for (const [what, yaml] of Object.entries({
  'a rule of triage':
    'triage: {rules: [{id: own, tool: copilot, match: {text: [stuck]}, class: transient, reason: network, proof: [it is stuck]}]}',
  'a limit of its context': 'sessions: {context_limit: {copilot: 1000}}',
  'a limit of its prompts': 'prompts: {max_chars: {copilot: 300000}}',
  'a budget': 'limits: {budgets: [{per: day, tool: copilot, calls: 3}]}',
  'a limit of calls at once': 'limits: {at_once: {copilot: 2, any: 3}}',
}))
  test(`it looks at a CLI that tollgate.yaml names in ${what}, and at no other`, async ({ rig }) => {
    for (const tool of TOOLS) rig.uninstall(tool);
    rig.write('tollgate.yaml', `${yaml}\n`);
    const { stdout } = await doctor(rig, '--json', '--trust-workspace');
    const missing = (JSON.parse(stdout) as { steps: { check: string }[] }).steps.flatMap(
      ({ check }) => /^(\w+) command$/.exec(check)?.[1] ?? [],
    );
    assert.equal(missing, ['copilot']);
  });

test.run();
