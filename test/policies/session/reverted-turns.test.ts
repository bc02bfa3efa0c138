// What can be brought back after any edits, and in which order redos reach it.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nextToBringBack, slotsOf, takenBack, takenBackBy } from '../../../policies/session/reverted-turns.ts';
import type { EditKind, KnownEdit } from '../../../policies/session/session-edits.ts';

/** A conversation that is only told by what happens to it. */
class Told {
  readonly edits: KnownEdit[] = [];
  #turns = 0;
  #bytes = 0;
  readonly #stood = new Map<number, number>();

  asked(turns = 1): this {
    this.#turns += turns;
    this.#bytes += 1;
    return this;
  }

  #edit(what: EditKind, kept_turns: number, kept_items: number | null, more: Partial<KnownEdit> = {}): this {
    const n = this.edits.length + 1;
    const turns = this.#turns;
    this.#stood.set(n, turns);
    const version = () => ({ bytes: this.#bytes, sha256: 'x' });
    const before = version();
    this.#bytes += 1;
    this.edits.push({
      n,
      at: '2026-11-22T12:00:00Z',
      tool: 'codex',
      session_id: 'x',
      file: '/x',
      what,
      before,
      after: version(),
      backup: `${n}.backup.jsonl`,
      turns,
      kept_turns,
      kept_items,
      reverted_turns: what === 'mended' ? 0 : turns - kept_turns,
      state: 'made',
      isKept: true,
      ...more,
    });
    this.#turns = kept_turns + (kept_items === null ? 0 : 1);
    return this;
  }

  rolledBack = (): this => this.#edit('rolled_back', this.#turns - 1, null);
  undone = (turn = this.#turns): this => this.#edit('undone', turn - 1, 0);
  mended = (): this => this.#edit('mended', this.#turns, null);
  /** Another prompt in the place of the last one. */
  edited = (): this => this.rolledBack().asked();

  redone(n: number | null = null): this {
    const now = { turns: this.#turns, reanswered: false };
    const taken = n === null ? nextToBringBack(this.edits, now) : takenBackBy(this.edits, now, n);
    if (!taken) throw new Error('there is nothing to bring back');
    const { newTurns, kept, edit } = taken;
    this.#edit('redone', kept, null, { of: edit.n, reverted_turns: newTurns });
    this.#turns = this.#stood.get(edit.n)!;
    return this;
  }

  /** The numbers that can be brought back, and the turns that stand, each by where it is read: `file`, or the edit that took it. */
  get back(): number[] {
    return takenBack(this.edits, { turns: this.#turns, reanswered: false }).map(({ edit }) => edit.n);
  }

  get shown(): string {
    return slotsOf(this.edits, this.#turns)
      .map((slot) => `${slot.id}${slot.fromItem === null ? '' : '~'}${slot.in === 'file' ? '+' : '-'}`)
      .join(' ');
  }
}

const three = () => new Told().asked(3);

const ROWS: [what: string, told: () => Told, back: number[], shown: string][] = [
  ['nothing', three, [], '1+ 2+ 3+'],
  ['an answer', () => three().undone(), [1], '1+ 2+ 3+ 3~-'],
  ['two undos in a row', () => three().undone().undone(2), [1, 2], '1+ 2+ 2~- 3- 3~-'],
  ['brought back one by one', () => three().undone().undone(2).redone(), [1], '1+ 2+ 3+ 3~-'],
  ['brought back at once, by number', () => three().undone().undone(2).redone(1), [], '1+ 2+ 3+'],
  ['what was mended in between', () => three().mended().undone().mended(), [2], '1+ 2+ 3+ 3~-'],
  ['another prompt', () => three().edited(), [1], '1+ 2+ 3- 4+'],
  ['two other prompts', () => three().edited().edited(), [1, 2], '1+ 2+ 3- 4- 5+'],
  [
    'the first redo brings back the last that was taken',
    () => three().edited().edited().redone(),
    [1, 3],
    '1+ 2+ 5- 3- 4+',
  ],
  ['the second what the first took', () => three().edited().edited().redone().redone(), [1, 4], '1+ 2+ 3- 4- 5+'],
  [
    'the third what was there first',
    () => three().edited().edited().redone().redone().redone(),
    [4, 5],
    '1+ 2+ 4- 5- 3+',
  ],
  ['that one at once, by its number', () => three().edited().edited().redone(1), [2, 3], '1+ 2+ 4- 5- 3+'],
  ['what came after a redo is nobody else', () => three().undone().redone().asked().rolledBack(), [3], '1+ 2+ 3+ 4-'],
];
for (const [what, told, back, shown] of ROWS)
  test(what, () => {
    const { back: found, shown: seen } = told();
    assert.equal([found, seen], [back, shown]);
  });

test('so many redos reach so many other prompts, however many', () => {
  const told = three();
  for (let i = 0; i < 5; i += 1) told.edited();
  const states = new Set([told.shown.split(' ').at(-1)]);
  for (let i = 0; i < 6; i += 1) states.add(told.redone().shown.split(' ').at(-1));
  assert.equal([...states].sort(), ['3+', '4+', '5+', '6+', '7+', '8+']);
});

test('what stands, or never was, is under no number', () => {
  const { edits } = three().undone().redone();
  const now = { turns: 3, reanswered: false };
  assert.equal(
    [1, 2, 3, 0].map((n) => takenBackBy(edits, now, n)),
    [null, null, null, null],
  );
  assert.is(nextToBringBack(edits, now), undefined);
});

test('a last turn that got another answer counts as another one', () => {
  const { edits } = three().undone();
  const [again] = takenBack(edits, { turns: 3, reanswered: true });
  assert.equal([again!.newTurns, again!.kept], [1, 2]);
});

test.run();
