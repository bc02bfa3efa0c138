// A CLI that asks a person to sign in is ended as it asks: nobody answers, and asking again would end the same way.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { SESSION, STREAMS, write } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('sign-in prompt');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

/** As they stand there while the CLI waits: the last line has no end. */
const PROMPTS = {
  'an authorization code':
    'Please visit the following URL to authorize the application:\n\nhttps://accounts.example/o?x=1\n\nEnter the authorization code: ',
  'a code alone': 'Paste code here if prompted > ',
  'a device code': 'To authenticate, visit https://github.com/login/device and enter code ABCD-1234.\n',
  'a keychain': 'System keychain unavailable. Store token in plaintext config file? (y/N) ',
  'a browser': 'Opening authentication page in your browser. Do you want to continue? [Y/n]: ',
  'a key': 'Enter your API key: ',
  'a passphrase alone': 'Passphrase: ',
  'a verification code alone': 'Verification code: ',
};

/** Each prompt of one CLI, and one prompt of each stream of each CLI: all go through the same rule. */
const isTried = (tool: BuiltIn, to: string, what: string) =>
  (tool === 'codex' && to === 'stderr') || what === 'a code alone';

for (const tool of TOOLS)
  for (const to of ['stdout', 'stderr'] as const)
    for (const [what, text] of Object.entries(PROMPTS).filter(([what]) => isTried(tool, to, what)))
      test(`${tool} asks for ${what} on ${to}`, async ({ rig }) => {
        rig.answer(() => [{ do: 'write', to, text }, { do: 'hang' }]);
        const { record, said } = await runWrapper(rig, tool, ['--trust-workspace']).ended();
        assert.equal(
          [record.ending, record.verdict.class, record.verdict.reason],
          ['requirement_unmet', 'auth', 'not_signed_in'],
          said,
        );
      });

test('a run asks once', async ({ rig }) => {
  rig.answer(() => [{ do: 'write', to: 'stderr', text: PROMPTS['a device code'] }, { do: 'hang' }]);
  const task = makeTask(rig, { stages: [{ tool: 'copilot', role: 'worker', ...ANY_ANSWER }] });
  const { report } = await task.run();
  assert.equal([report.failure?.class, report.failure?.reason, rig.calls.length], ['auth', 'not_signed_in', 1]);
});

for (const tool of TOOLS)
  test(`${tool}: an answer that quotes a prompt is an answer`, async ({ rig }) => {
    const { opens, says, succeeds } = STREAMS[tool];
    const quoted = PROMPTS['a device code'].trim();
    rig.answer(() => [
      write([...opens(SESSION), ...says(quoted), ...succeeds(SESSION)]),
      { do: 'write', to: 'stderr', text: `${quoted}\n` },
      { do: 'exit', code: 0 },
    ]);
    const { code, out, said } = await runWrapper(rig, tool, ['--trust-workspace']).ended();
    assert.equal([code, out?.trim()], [0, quoted], said);
  });

const WORDS =
  'Ask for both:\n\nPassphrase:\nVerification code:\n\nThe passphrase: never print it. Verification code: six digits.';

for (const tool of TOOLS)
  test(`${tool}: a model that writes these words, and a log of them, ends no call`, async ({ rig }) => {
    const { opens, says, succeeds } = STREAMS[tool];
    rig.answer(() => [
      {
        do: 'write',
        to: 'stderr',
        text: 'The passphrase: unset\nverification code: sent to the user\nPassword: hunter2\n',
      },
      write([...opens(SESSION), ...says(WORDS)]),
      { do: 'write', to: 'stderr', text: `${WORDS}\n` },
      write(succeeds(SESSION)),
      { do: 'exit', code: 0 },
    ]);
    const { code, out, said } = await runWrapper(rig, tool, ['--trust-workspace']).ended();
    assert.equal([code, out?.trim()], [0, WORDS], said);
  });

test('what an MCP server asks for does not end the call', async ({ rig }) => {
  const text = 'MCP server "tickets": visit the following URL to authorize: https://tickets.example/\n';
  const { opens, says, succeeds } = STREAMS.claude;
  rig.answer(() => [
    { do: 'write', to: 'stderr', text },
    write([...opens(SESSION), ...says('Done.'), ...succeeds(SESSION)]),
    { do: 'exit', code: 0 },
  ]);
  const { code, said } = await runWrapper(rig, 'claude', ['--trust-workspace']).ended();
  assert.is(code, 0, said);
});

test.run();
