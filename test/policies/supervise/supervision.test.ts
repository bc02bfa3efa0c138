// The state machine of a supervision against a model of the document's table: 1,000 generated sequences, killed and resumed anywhere.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nextMove, type Reasoned, type SuperviseFact, standingAfter } from '../../../policies/supervise/supervision.ts';

const TERMS = { max_iterations: 1000, stall_after: 1000 };

/** What the reasoner does in an iteration; `killed`: the run dies before the fact that follows, or after it. */
type Event = { reasoner: 'error' | 'no_op' | 'save_session' | 'disbelieved' | `continue ${number}` };

const event = fc.record({
  reasoner: fc.oneof(
    { weight: 4, arbitrary: fc.constant('error' as const) },
    { weight: 2, arbitrary: fc.constant('no_op' as const) },
    { weight: 2, arbitrary: fc.nat(9).map((n) => `continue ${n}` as const) },
    { weight: 1, arbitrary: fc.constantFrom('save_session' as const, 'disbelieved' as const) },
  ),
});

const factOf = (how: Event['reasoner']): Reasoned => {
  if (how === 'error') return { action: 'error', class: 'transient', reason: 'network', text: 'down' };
  if (how === 'no_op') return { action: 'no_op' };
  if (how === 'save_session') return { action: 'save_session', text: 'later' };
  if (how === 'disbelieved') return { action: 'done', text: 'all of it', refused: ['npm test failed'] };
  return { action: 'continue', instruction: how };
};

/** The document, said once more: three variables. */
class Model {
  instruction = 'Task A';
  errors = 0;
  ends = false;
  take(how: Event['reasoner']): void {
    this.errors = how === 'error' ? this.errors + 1 : 0;
    if (how.startsWith('continue')) this.instruction = how;
    this.ends = this.errors === 3 || how === 'save_session';
    if (this.ends) this.errors = 0;
  }
}

test('the worker gets the last valid instruction, whatever the reasoner does; the third error in a row saves', () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 30 }), (events) => {
      const facts: SuperviseFact[] = [{ fact: 'supervised', run_id: 'r', supervision: 's', goal: 'Task A' }];
      const model = new Model();
      const standing = () => standingAfter(JSON.parse(JSON.stringify(facts)) as SuperviseFact[]);
      for (const { reasoner } of events) {
        for (;;) {
          const now = standing();
          const move = nextMove(now, TERMS);
          if (move.do === 'reason') break;
          // Asked again it says the same: nothing is lost by a run that is killed in between.
          assert.equal(nextMove(standing(), TERMS), move);
          const { iteration } = now;
          if (move.do === 'leave') facts.push({ fact: 'left', run_id: 'r', how: move.how, why: move.why });
          else if (move.do === 'begin') {
            assert.is(move.instruction, model.instruction);
            assert.is(move.iteration, iteration + 1);
            facts.push({ fact: 'instructed', run_id: 'r', ...beginning(move) });
          } else {
            assert.is(now.instruction, model.instruction);
            facts.push({ fact: 'worked', run_id: 'r', iteration, call_id: 'c', changed: 1, failed: [] });
          }
        }
        facts.push({
          fact: 'reasoned',
          run_id: 'r',
          iteration: standing().iteration,
          call_id: 'c',
          notes: [],
          ...factOf(reasoner),
        });
        model.take(reasoner);
        const move = nextMove(standing(), TERMS);
        assert.is(move.do === 'leave' && move.how === 'saved', model.ends);
        assert.is(standing().instruction, model.instruction);
        if (!model.ends) assert.is(standing().errors, model.errors);
      }
    }),
    { numRuns: 1000 },
  );
});

const beginning = ({ iteration, instruction, worker }: ReturnType<typeof nextMove> & { do: 'begin' }) => ({
  iteration,
  instruction,
  worker,
});

const REASONED: { fact: 'reasoned'; run_id: string; call_id: null; notes: string[] } = {
  fact: 'reasoned',
  run_id: 'r',
  call_id: null,
  notes: [],
};
const BEGUN: SuperviseFact[] = [
  { fact: 'supervised', run_id: 'r', supervision: 's', goal: 'A' },
  { fact: 'instructed', run_id: 'r', iteration: 1, instruction: 'A', worker: 'asked' },
];
const worked = (changed: number, iteration = 1): SuperviseFact => ({
  fact: 'worked',
  run_id: 'r',
  iteration,
  call_id: 'c',
  changed,
  failed: [],
});

test('a fact that does not fit changes nothing', () => {
  const before = standingAfter(BEGUN);
  for (const stray of [
    { ...REASONED, iteration: 1, action: 'continue', instruction: 'B' },
    worked(1, 2),
    { fact: 'instructed', run_id: 'r', iteration: 2, instruction: 'B', worker: 'asked' },
  ] as SuperviseFact[])
    assert.equal(standingAfter([...BEGUN, stray]), before);
});

test('half of a fact that somebody edited is no word of the reasoner, and no instruction', () => {
  const before = standingAfter([...BEGUN, worked(1)]);
  for (const half of [{ action: 'continue' }, { action: 'done', text: 'x' }])
    assert.equal(standingAfter([...BEGUN, worked(1), { ...REASONED, iteration: 1, ...half } as never]), before);
});

test('an instruction that is kept and changes nothing stops it; one that the reasoner could not judge does not count', () => {
  const terms = { max_iterations: 9, stall_after: 2 };
  const round = (iteration: number, changed: number, said: Reasoned): SuperviseFact[] => [
    { fact: 'instructed', run_id: 'r', iteration, instruction: 'A', worker: 'asked' },
    worked(changed, iteration),
    { ...REASONED, iteration, ...said },
  ];
  const noOp = { action: 'no_op' } as const;
  const after = (...rounds: SuperviseFact[][]) => nextMove(standingAfter([BEGUN[0]!, ...rounds.flat()]), terms);
  assert.is(after(round(1, 0, noOp), round(2, 0, noOp)).do, 'leave');
  assert.is(after(round(1, 0, noOp), round(2, 1, noOp)).do, 'begin');
  assert.is(after(round(1, 0, noOp), round(2, 0, factOf('error'))).do, 'begin');
});

test('max_iterations is over all runs, and stops before the next is paid', () => {
  const facts = [...BEGUN, worked(1), { ...REASONED, iteration: 1, action: 'no_op' } as SuperviseFact];
  const move = nextMove(standingAfter(facts), { max_iterations: 1, stall_after: 3 });
  assert.equal([move.do, move.do === 'leave' && move.reason], ['leave', 'max_iterations']);
});

test('a question parks it until somebody answers; then the reasoner is asked, and the worker is not', () => {
  const asked = [...BEGUN, worked(1), { ...REASONED, iteration: 1, action: 'ask', text: 'Which?' } as SuperviseFact];
  const left: SuperviseFact = { fact: 'left', run_id: 'r', how: 'parked', why: 'Which?' };
  const noted: SuperviseFact = { fact: 'noted', note: 'n', text: 'that' };
  for (const facts of [asked, [...asked, left], [...asked, left, left]])
    assert.equal(nextMove(standingAfter(facts), TERMS), {
      do: 'leave',
      how: 'parked',
      reason: 'question',
      why: 'Which?',
    });
  for (const facts of [
    [...asked, noted],
    [...asked, left, noted],
  ])
    assert.equal(nextMove(standingAfter(facts), TERMS), {
      do: 'begin',
      iteration: 2,
      instruction: 'A',
      worker: 'spared',
    });
});

test('a note that the reasoner failed to answer is told again, and one that is noted twice is told once', () => {
  const noted: SuperviseFact = { fact: 'noted', note: 'n', text: 'that' };
  const reasoned = (said: Reasoned): SuperviseFact => ({ ...REASONED, iteration: 1, ...said, notes: ['n'] });
  const notes = (...facts: SuperviseFact[]) => standingAfter([...BEGUN, worked(1), ...facts]).notes.length;
  assert.equal(
    [notes(noted, noted), notes(noted, reasoned(factOf('error'))), notes(noted, reasoned({ action: 'no_op' }), noted)],
    [1, 1, 0],
  );
});

test.run();
