// Tasks of a session tag stay on the machine that has their conversations, and continue elsewhere with a hand-off.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FleetRig } from '../rig/fleet-rig.ts';
import { answerWith } from '../rig/streams.ts';

const SESSION = 'b5c9c443-0976-43ef-9f58-0b553adaee3f';

const test = suite<{ fleet: FleetRig }>('tags in a fleet');
test.before(async (context) => {
  context.fleet = await FleetRig.open();
  context.fleet.rig.answer((call) => answerWith('gemini', `Done by call ${call.report.pid}.`, SESSION));
});
const stops: (() => void)[] = [];
test.after(({ fleet }) => {
  for (const stop of stops) stop();
  return fleet.dispose();
});

const rowOf = (name: string) =>
  `SELECT state, machine, tree::text, (SELECT count(*)::int FROM tollgate.reservations r WHERE r.task = t.id) AS calls
   FROM tollgate.tasks t WHERE name = '${name}'`;
const isDone = ([row]: Record<string, unknown>[]) => row!.state === 'done';

test('a later task resumes the conversation on its machine, and begins elsewhere after a time with a hand-off', async ({
  fleet,
}) => {
  const { rig } = fleet;
  for (const name of ['first', 'second', 'third', 'fourth']) fleet.task(name, { meta: { feature: 'login' } });
  fleet.task('other');
  await fleet.submit('first');
  await fleet.worker('a', '--until-empty').succeeds();

  // Another machine leaves it in the queue, and does what follows.
  await fleet.submit('second', 'other');
  const patient = fleet.worker('b', '--tag-wait', '600');
  stops.push(() => patient.running.signal('SIGTERM'));
  await fleet.until(rowOf('other'), isDone);
  const { stdout } = await fleet.tollgate('fleet', 'status', 'second', '--json').succeeds();
  const [waits] = JSON.parse(stdout).tasks;
  assert.is(waits.state, 'queued');
  assert.match(waits.message, /^waits for \S+, which has its conversations; after --tag-wait any worker takes it$/);
  await fleet.worker('a', '--until-empty').succeeds();
  const [first, second] = await fleet.rows(`${rowOf('first')} UNION ALL ${rowOf('second')}`);
  assert.equal(second, { ...first, state: 'done', calls: 1 });
  const [begun, , resumed] = rig.calls.map(({ report }) => report);
  assert.equal([begun!.argv.includes(SESSION), resumed!.argv.includes(SESSION)], [false, true]);
  assert.is(resumed!.cwd, begun!.cwd);
  assert.not.match(resumed!.stdin.text, 'State of the work');
  stops.pop()!();
  await patient.running.result;

  // Its machine is away: after the time another one begins it.
  await fleet.submit('third');
  await fleet.worker('b', '--until-empty', '--tag-wait', '1').succeeds();
  const [third] = await fleet.rows(rowOf('third'));
  assert.equal([third!.state, third!.calls, third!.machine === first!.machine], ['done', 1, false]);
  const handedOn = rig.calls.at(-1)!.report;
  assert.is(handedOn.argv.includes(SESSION), false);
  assert.match(
    handedOn.stdin.text,
    /# State of the work.*Earlier tasks of the same feature.*- second: Do second\..*- first: /s,
  );
  assert.match(handedOn.stdin.text, `Done by call ${resumed!.pid}.`);

  // Now that machine has the conversation.
  await fleet.submit('fourth');
  await fleet.worker('b', '--until-empty', '--tag-wait', '600').succeeds();
  const [fourth] = await fleet.rows(rowOf('fourth'));
  assert.equal(fourth, third);
  assert.ok(rig.calls.at(-1)!.report.argv.includes(SESSION));
  assert.is(rig.calls.length, 5);
});

test.run();
