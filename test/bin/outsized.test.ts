// An event of the stream that is longer than is read of one: what is known of it counts, and an answer in it is too large.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../policies/facts/tools.ts';
import type { FakeCommand } from '../rig/fake-call.ts';
import { SESSION, STREAMS } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('outsized events');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

/** One MiB more than is read of a line. */
const BYTES = 65 * 1024 * 1024;

/** The lines, with 65 MiB in the place of the word FILL in them. */
function filled(lines: readonly string[]): FakeCommand[] {
  const [before, after] = `${lines.join('\n')}\n`.split('FILL') as [string, string];
  return [
    { do: 'write', to: 'stdout', text: before },
    { do: 'fill', to: 'stdout', bytes: BYTES, line: 'all of it, and then some more ' },
    { do: 'write', to: 'stdout', text: after },
  ];
}

for (const tool of TOOLS) {
  const { opens, says, runsTool, succeeds } = STREAMS[tool];

  test(`${tool}: an answer in one event that is too long is too large, and not an empty one`, async ({ rig }) => {
    rig.answer(() => [...filled([...opens(SESSION), ...says('FILL'), ...succeeds(SESSION)]), { do: 'exit', code: 0 }]);
    const { record, out, said } = await runWrapper(rig, tool).ended();
    assert.equal(
      [record.verdict.class, record.verdict.reason, record.verdict.evidence?.rule, out],
      ['contract_violation', 'answer_too_large', 'left-answer-too-large', null],
    );
    assert.match(said, 'the answer is larger than what is read of one event of its stream (64 MiB)');
  });

  test(`${tool}: the result of a tool may be of any length, and what was said before it is no answer`, async ({
    rig,
  }) => {
    rig.answer(() => [
      ...filled([...opens(SESSION), ...says('I look.'), ...runsTool('FILL'), ...says('Done.'), ...succeeds(SESSION)]),
      { do: 'exit', code: 0 },
    ]);
    const { code, out, record } = await runWrapper(rig, tool).ended();
    assert.equal([code, out, record.verdict.class], [0, 'Done.', null]);
  });
}

test.run();
