// However a call ends, nobody of its tree is left: own groups and sessions, double forks, TERM ignored, environments cleared.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ownGroup } from '../../wrappers/processes/cgroup.ts';
import type { FakeCall, FakeCommand } from '../rig/fake-call.ts';
import { answerWith, SESSION, STREAMS, write } from '../rig/streams.ts';
import { isAlive, type Survivor } from '../rig/survivors.ts';
import { TestRig } from '../rig/test-rig.ts';
import { waitWhile } from '../rig/wait-while.ts';
import { TOO_LATE, withinLimit } from '../rig/within-limit.ts';
import { runWrapper, type WrapperRun } from '../rig/wrapper-run.ts';

const test = suite('nobody left');
const rigs: TestRig[] = [];
test.after(async () => {
  for (const rig of rigs) await rig.dispose();
});

async function openRig(): Promise<TestRig> {
  const rig = await TestRig.open({ tools: ['codex'] });
  rigs.push(rig);
  return rig;
}

const { opens, runsTool, retries } = STREAMS.codex;
const hang: FakeCommand = { do: 'hang' };

interface Ending {
  flags?: string[];
  /** A limit that ends it, once the tree stands. */
  limit?: string;
  /** What the fake does, or what is done to the wrapper, once the tree stands. */
  comes(fake: FakeCall, call: WrapperRun): void;
}

const ENDINGS: Record<string, Ending> = {
  exited: { comes: (fake) => void fake.tell(...answerWith('codex', 'done')) },
  signalled: { comes: (fake) => void fake.tell({ do: 'die', signal: 'SIGKILL' }) },
  lingered: { comes: (fake) => void fake.tell(answerWith('codex', 'done')[0]!) },
  timed_out: { limit: '--timeout-ms', comes: () => {} },
  idle: { limit: '--idle-timeout-ms', comes: () => {} },
  overflowed: {
    flags: ['--max-output-bytes=100000'],
    comes: (fake) => void fake.tell({ do: 'fill', to: 'stderr', bytes: 300_000 }, hang),
  },
  max_turns: {
    flags: ['--max-turns=1', '--access=full'],
    comes: (fake) => void fake.tell(write([...opens(SESSION), ...runsTool('ok')]), hang),
  },
  retry_cut: { comes: (fake) => void fake.tell(write([...opens(SESSION), ...retries('overloaded')]), hang) },
  'cancelled by INT': { comes: (_, { running }) => running.signal('SIGINT') },
  'cancelled by TERM': { comes: (_, { running }) => running.signal('SIGTERM') },
  'cancelled by HUP': { comes: (_, { running }) => running.signal('SIGHUP') },
};

/** Each tells its number by a file of that name, and then stays as it is. */
const MEMBERS = `
(set -m; sh -c ': >group.$$; exec sleep 600' &)
setsid sh -c ': >session.$$; exec sleep 600' &
(setsid sh -c 'sh -c ": >forked.\\$\\$; exec sleep 600" &' &)
sh -c 'trap "" TERM INT HUP; : >deaf.$$; exec sleep 600' &
wait
`;

const standing = (rig: TestRig): number[] =>
  readdirSync(rig.project)
    .flatMap((name) => /^(?:group|session|forked|deaf|cleared)\.(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number);

async function until(come: () => boolean): Promise<void> {
  await waitWhile(() => !come());
}

type Seen = [ending: string, members: number, alive: number[], survivors: Survivor[]];

/** Gives what was seen of one ending: the record's, and who of the members is alive after it. */
const end = ({ flags = [], limit, comes }: Ending): Promise<Seen> =>
  withinLimit(6000, async (limitMs, isOver) => {
    const rig = await openRig();
    const call = runWrapper(rig, 'codex', limit === undefined ? flags : [...flags, `${limit}=${limitMs}`]);
    const isLate = () => limit !== undefined && isOver();
    const fake = await rig.callBefore(call.running.result);
    const began = await fake?.did({ do: 'spawn', argv: ['sh', '-c', MEMBERS] });
    await until(() => standing(rig).length === 4 || isLate());
    const inTime = began === true && !isLate();
    if (inTime) comes(fake!, call);
    const { record } = await call.ended();
    return inTime ? [record.ending, standing(rig).length, standing(rig).filter(isAlive), rig.survivors()] : TOO_LATE;
  });

/** All at once: each takes the two seconds of grace. */
const ended = new Map(Object.entries(ENDINGS).map(([name, ending]) => [name, end(ending)]));
for (const seen of ended.values()) seen.catch(() => {});

for (const [name, seen] of ended)
  test(`nobody of the tree is left when the call is ${name}`, async () =>
    assert.equal(await seen, [name.split(' ')[0], 4, [], []]));

/** Leaves for a session of its own with nothing in its environment; what it is called with decides what it holds. */
const daemonAfter = (first = '') => `setsid env -i sh -c '${first}: >cleared.$$; exec sleep 600'`;
const DAEMON = daemonAfter();
const group = ownGroup()?.group;
/** The cgroup of the call would find the daemon by itself. */
const LEAVE_GROUP = group ? `{ echo 0 >"${group}/cgroup.procs"; } 2>/dev/null; ` : '';
const onLinux = process.platform === 'linux' && existsSync('/proc/self/io') ? test : test.skip;
if (onLinux === test.skip) console.log('SKIPPED: nothing here tells what a process reads, or which files it holds');

onLinux('a daemon that cleared its environment is ended if it was seen below the CLI while that ran', async () => {
  const rig = await openRig();
  const call = runWrapper(rig, 'codex');
  const fake = await rig.call();
  await fake.spawn(['sh', '-c', `${daemonAfter(LEAVE_GROUP)} >/dev/null 2>&1 & while [ ! -e go ]; do sleep 0.1; done`]);
  await until(() => standing(rig).length === 1);
  // A look at the machine is known by what it reads: twice of each process. Two of them, so that one is whole.
  const goal = readsOf(call.running.pid) + 5 * readdirSync('/proc').filter((name) => Number(name) > 0).length;
  await until(() => readsOf(call.running.pid) > goal);
  rig.write('go', '');
  const [daemon] = standing(rig);
  await until(() => parentOf(daemon!) !== fake.report.pid && parentOf(daemon!) === 1);
  void fake.tell(...answerWith('codex', 'done'));
  const { record } = await call.ended();
  assert.equal([record.ending, standing(rig).filter(isAlive)], ['exited', []]);
});

onLinux('a daemon that cleared its environment is ended if it writes in the private folder of the call', async () => {
  const rig = await openRig();
  const call = runWrapper(rig, 'codex');
  const fake = await rig.call();
  await fake.spawn(['sh', '-c', `${DAEMON} >"$TMPDIR/log" 2>&1 &`]);
  await until(() => standing(rig).length === 1);
  void fake.tell(...answerWith('codex', 'done'));
  const { record } = await call.ended();
  assert.equal([record.ending, record.orphans_killed, standing(rig).filter(isAlive)], ['exited', 1, []]);
});

const readsOf = (pid: number): number => Number(/^syscr: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);

const parentOf = (pid: number): number => Number(/\) \w (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);

test.run();
