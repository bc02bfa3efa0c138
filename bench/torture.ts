// Strikes the real commands at random moments and looks whether anything was lost, paid twice or left behind:
// `npm run torture -- --rounds N --minutes M --seed S [--real] [--lanes L] [--only ROUND] [--markdown]`.

import { parseArgs } from 'node:util';
import { randomFrom, whole } from './random.ts';
import { planOf } from './torture/plan.ts';
import { realWorld } from './torture/real-world.ts';
import { figuresOf, markdown, told } from './torture/report.ts';
import { playRound, type Round } from './torture/round.ts';
import { fakeWorld, type World } from './torture/world.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string' },
    only: { type: 'string' },
    real: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
const numberOf = (name: 'rounds' | 'minutes' | 'seed' | 'lanes' | 'only', least: number): number => {
  const value = Number(values[name]);
  if (Number.isFinite(value) && value >= least) return value;
  console.error(`torture: --${name} takes a number of at least ${least}, not "${values[name]}"`);
  process.exit(2);
};
// It adds 45 to 50 ms to every process of Node 20.
delete process.env.NODE_EXTRA_CA_CERTS;
const agents = values.real ? 'real' : 'fake';
const seed = numberOf('seed', 0);
const until = Date.now() + numberOf('minutes', 0) * 60_000;
const numbers =
  values.only === undefined ? Array.from({ length: numberOf('rounds', 1) }, (_, i) => i + 1) : [numberOf('only', 1)];
// At most three gemini processes at once.
const lanes = values.lanes === undefined ? (agents === 'real' ? 2 : 4) : numberOf('lanes', 1);
const asked = numbers.length;
const rounds: Round[] = [];
await Promise.all(Array.from({ length: lanes }, lane));
const figures = figuresOf(rounds, { asked, seed, agents });
console.log(values.markdown ? markdown(figures) : told(figures));
process.exitCode = figures.bad > 0 || rounds.length === 0 ? 1 : 0;

async function lane(): Promise<void> {
  for (let n = numbers.shift(); n !== undefined && Date.now() < until; n = numbers.shift()) {
    const plan = planOf(seed, n, agents);
    const world = await worldOf(n);
    const round = await playRound(plan, world, agents);
    rounds.push(round);
    if (values.verbose) console.error(`${n}: ${round.ms.toFixed(0)} ms, ${plan.kind}, ${round.struck.join(', ')}`);
    if (round.violations.length === 0) await world.dispose();
    else {
      console.error(`round ${n}, kept in ${world.root}: ${JSON.stringify(plan)}`);
      for (const { what, why } of round.violations) console.error(`  ${what}: ${why}`);
    }
  }
}

async function worldOf(n: number): Promise<World> {
  return agents === 'real' ? realWorld(whole(randomFrom('model', seed, n), 0, 1500)) : fakeWorld(n);
}
