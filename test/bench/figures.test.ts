// What `npm run bench` makes of its measurements: turns, medians, rows, the page; and which flags it refuses.

import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atMostOver, cells, inTurns, timesOf, writeFigures } from '../../bench/figures/measure.ts';
import { FIGURES, readFlags } from '../../bench/figures/parts.ts';
import { BenchWorld, usageIn } from '../../bench/figures/world.ts';

const test = suite<{ world: BenchWorld }>('figures of the bench');
test.before.each((context) => {
  context.world = new BenchWorld();
});
test.after.each(({ world }) => world.dispose());

test('each side is measured in turns, in the other order the next time, and the round that warms does not count', async () => {
  const order: string[] = [];
  const side = (name: string) => (round: number) => {
    order.push(`${name}${round}`);
    return round === 0 ? 1000 : round;
  };
  const { ours, bare } = await inTurns(3, { ours: side('o'), bare: side('b') });
  assert.equal(order, ['o0', 'b0', 'b1', 'o1', 'o2', 'b2', 'b3', 'o3']);
  assert.equal([ours, bare], [{ median: 2 }, { median: 2 }]);
});

test('the median of an even number is between its middle two', () => {
  assert.equal(timesOf([500, 304]), { median: 402 });
  assert.equal(timesOf([4, 1, 2, 100]), { median: 3 });
  assert.equal(timesOf([7]), { median: 7 });
});

test('a row shows both sides, and whether its goal is missed', () => {
  const [ours, peer] = [{ median: 50 }, { name: 'bare `node`', median: 20 }];
  const row = { what: 'a wrapper', unit: 'ms' as const, ours, peer, goal: atMostOver(15, ours, peer) };
  assert.equal(cells(row), ['a wrapper', '50.0 ms', '20.0 ms (bare `node`)', '≤ + 15 ms: **missed**']);
  assert.is(cells({ ...row, goal: atMostOver(30, ours, peer) }).at(-1), '≤ + 30 ms: reached');
  const alone = { what: 'a wrapper', unit: 'MiB' as const, ours };
  assert.equal(cells(alone).slice(1), ['50.0 MiB', '–', '–']);
});

test('what is written stands between its own marks, and nothing else of the page is changed', ({ world }) => {
  const text = 'a\n<!-- truth -->\nold\n<!-- /truth -->\nb\n<!-- bench -->\nold\n<!-- /bench -->\nc\n';
  const page = world.write('page.md', text);
  writeFigures('bench', ['caption', '| table |'], page);
  assert.is(readFileSync(page, 'utf8'), text.replace('<!-- bench -->\nold', '<!-- bench -->\ncaption\n\n| table |'));
  world.write('page.md', 'a\n<!-- bench -->\n');
  assert.throws(() => writeFigures('bench', [], page), /no place between/);
});

test('the most memory of a process is its own, whatever its parent holds', ({ world }) => {
  const held = Buffer.alloc(400 * 1024 ** 2, 1);
  const usage = usageIn(world);
  world.node([...usage.flags, 'bare.cjs']);
  const { mib } = usage.last();
  assert.ok(mib > 10 && mib < 200, `${mib} MiB beside ${held.length} bytes`);
});

test('parts say how often each side is measured, or that it is measured once', () => {
  const once = Object.entries(FIGURES).flatMap(([name, { rounds }]) => (rounds === null ? [name] : []));
  assert.equal(once, ['batch']);
  assert.ok(Object.values(FIGURES).every(({ rounds }) => rounds === null || rounds >= 3));
});

for (const [words, why] of [
  [['nothing'], 'there is no part nothing'],
  [['runs', '--rounds', '0'], '--rounds is a whole number from 1, not 0'],
  [['runs', '--figures'], '--figures is of all parts, so it takes no NAME'],
  [['--nope'], "Unknown option '--nope'"],
] as const)
  test(`npm run bench -- ${words.join(' ')} is refused before anything is measured`, () => {
    assert.throws(
      () => readFlags(words),
      (error: Error) => error.message.startsWith(why),
    );
  });

test('without flags, all parts are measured', () => {
  const { names, values } = readFlags([]);
  assert.equal([names, values.rounds, values.figures], [[], undefined, false]);
});

test.run();
