// What lint finds in rows, and what it lets pass.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Rule } from '../../../policies/rules/rule.ts';
import { RULES } from '../../../policies/rules/rules.ts';
import { levelOf, lintRules, sentenceOf } from '../../../policies/verdict/lint.ts';
import { compileRow, type OwnRow } from '../../../policies/verdict/own-row.ts';
import { NOW } from '../replay.ts';

const CLOCK = { now: NOW, timeZone: 'UTC' };

/** A row that is right, and what is changed in it. */
const own = (change: Partial<OwnRow> = {}): Rule =>
  compileRow({
    id: 'corp-proxy',
    tool: 'any',
    source: 'any',
    match: { text: ['corporate proxy'] },
    class: 'tooling',
    reason: 'proxy',
    proof: ['The corporate proxy is down'],
    ...change,
  });

const found = (rows: readonly Rule[], builtIn: readonly Rule[] = RULES) => lintRules(rows, builtIn, CLOCK);
const told = (rows: readonly Rule[], builtIn?: readonly Rule[]) =>
  found(rows, builtIn).map((one) => `${levelOf(one)} ${one.fact}: ${sentenceOf(one)}`);

const RIGHT: [what: string, row: Rule][] = [
  ['by a phrase', own()],
  [
    'by a status and words',
    own({
      match: { status: [503], text: ['maintenance *'] },
      proof: ['unexpected status 503: maintenance until noon'],
    }),
  ],
  ['by a code', own({ match: { code: ['E_CORP'] }, proof: [{ message: 'no', code: 'e_corp' }] })],
  ['by a code among the words', own({ match: { code: ['E_CORP'] }, proof: ['it failed with E_CORP today'] })],
  ['by an exit code', own({ match: { exit: [97] }, proof: [{ exit: 97 }] })],
  [
    'by a signal of one tool',
    own({ tool: 'gemini', source: 'exit_code', match: { exit: ['SIGXCPU'] }, proof: [{ exit: 'SIGXCPU' }] }),
  ],
  [
    'by a wait',
    own({ match: { wait: 'long', text: ['canteen'] }, proof: ['the canteen is closed, try again in 2 hours'] }),
  ],
  ['on stderr alone', own({ source: 'stderr' })],
  [
    'one proof of two',
    own({
      match: { text: ['corporate proxy', 'incorrect api key'] },
      reason: 'x',
      proof: ['Corporate proxy'],
      class: 'unknown',
    }),
  ],
];
for (const [what, row] of RIGHT)
  test(`a row ${what} has no error`, () => {
    assert.equal(
      found([row])
        .filter((one) => levelOf(one) === 'error')
        .map(sentenceOf),
      [],
    );
  });

const WRONG: [what: string, rows: Rule[], told: string[]][] = [
  [
    'a row that asks for nothing',
    [own({ match: {} })],
    [
      'error asks_nothing: the row "corp-proxy" asks for nothing, and so would decide everything; say under match what it looks for',
    ],
  ],
  [
    'a name that is there twice',
    [own(), own({ match: { text: ['other words'] }, proof: ['other words'] })],
    ['error duplicate: the row "corp-proxy" has the id of an earlier row; give it one of its own'],
  ],
  [
    'a row without proof',
    [own({ proof: [] })],
    ['error unproven: the row "corp-proxy" has no proof; put under proof a text that it is there for'],
  ],
  [
    'one proof of two that the row does not match',
    [own({ proof: ['The corporate proxy is down', 'The corporate\u001b[2J proxies\nare down'] })],
    [
      'error unproven: the row "corp-proxy" does not match its proof "The corporate [2J proxies are down"; fix the row or the proof',
    ],
  ],
  ['a proof for another tool’s exit code', [own({ match: { exit: [97] }, proof: ['exit 97'] })], ['error unproven: ']],
  [
    'words and an exit code, which are never told at once',
    [own({ match: { exit: [97], text: ['proxy'] }, proof: [{ exit: 97, message: 'proxy' }] })],
    ['error unproven: '],
  ],
  [
    'a bare number',
    [own({ match: { text: ['corporate proxy', '403'] } })],
    [
      'error number_only: the row "corp-proxy" takes "403" for a failure, but a number says nothing by itself; put words beside it, or ask for it as status or exit',
    ],
  ],
  [
    'words that stand beside any number',
    [own({ match: { text: ['corporate proxy', 'took *'] } })],
    ['error number_only: the row "corp-proxy" takes "took 0 ms"'],
  ],
  [
    'a row in the shadow of another',
    [own(), own({ id: 'corp-down', match: { text: ['proxy is down'] }, reason: 'down' })],
    [
      'error shadowed: the row "corp-down" decides none of its proofs, for the row "corp-proxy" before it does; put it before that one, or let that one ask for more',
    ],
  ],
  [
    'a row that says what ours say',
    [
      own({
        match: { text: ['rate limit * canteen'] },
        class: 'transient',
        reason: 'rate_limit',
        proof: ['rate limit of the canteen'],
      }),
    ],
    [
      'error nothing_new: the row "corp-proxy" says nothing new: by the built-in row "service-rate-limit-words" its proofs are transient (rate_limit) already; leave it out',
    ],
  ],
  [
    'a row that takes the place of ours',
    [own({ match: { text: ['turn interrupted'] }, proof: ['turn interrupted'] })],
    [
      'warning takes_over: the row "corp-proxy" takes over what the built-in row "stop-interrupted" is there for, so that transient (interrupted) becomes tooling (proxy); if that is not meant, let it ask for more',
    ],
  ],
  [
    'a row of one source that takes the place of ours there, and means the same',
    [
      own({
        source: 'stderr',
        match: { text: ['loop detected', 'corporate proxy'] },
        class: 'transient',
        reason: 'loop',
      }),
    ],
    [
      'warning takes_over: the row "corp-proxy" takes over what the built-in row "stop-loop" is there for, and says nothing new by it (transient (loop)); ',
    ],
  ],
];
for (const [what, rows, said] of WRONG)
  test(what, () => {
    const all = told(rows);
    assert.is(all.length, said.length, all.join('\n'));
    for (const [i, line] of all.entries()) assert.ok(line.startsWith(said[i]!), line);
  });

test('of two rows that would take the place of ours, the first does', () => {
  const taker = (id: string) => own({ id, match: { text: ['turn interrupted', id] }, proof: [id] });
  assert.equal(
    found([taker('one'), taker('two')]).map(({ fact, row }) => `${fact} ${row.id}`),
    ['takes_over one'],
  );
});

test('ours too are looked at, by themselves', () => {
  const bad: Rule = { ...RULES[0]!, id: 'number', match: { text: /\b\d+\b/ }, proof: [{ message: '1' }] };
  const late = { ...RULES[1]!, id: 'late' };
  assert.equal(
    found([own()], [...RULES, bad, late, RULES[2]!]).map(({ fact, row, owner }) => `${fact} ${row.id} ${owner}`),
    [...['number_only number', 'shadowed late', `duplicate ${RULES[2]!.id}`].map((words) => `${words} tollgate`)],
  );
});

test.run();
