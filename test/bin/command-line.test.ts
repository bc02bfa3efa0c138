// Reading command lines: every mistake is a sentence that names the way out.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandSpec, parseCommandLine } from '../../bin/command-line.ts';

const SPEC: CommandSpec = {
  name: 'ask',
  usage: '--out FILE',
  about: 'Asks.',
  flags: {
    out: { takes: 'text', about: 'where the answer goes', required: true },
    'timeout-ms': { takes: 'number', min: 1, default: 300, about: 'the deadline' },
    access: { takes: 'choice', choices: ['read', 'write'], default: 'read', about: 'what is allowed' },
    days: { takes: 'number', min: 1, max: 30, about: 'how many' },
    label: { takes: 'texts', about: 'a name' },
    force: { takes: 'nothing', about: 'do it' },
  },
  families: [{ match: /^task-\d+-(done|pid)$/, shown: '--task-N-done', about: 'a marker' }],
  words: { min: 0, max: 1, called: 'TASK' },
  examples: [],
  exits: [],
};

const MISTAKES: [argv: string[], message: string][] = [
  [[], '--out is required: where the answer goes'],
  [['--out'], '--out needs a value'],
  [['--out='], '--out needs a value'],
  [['--out', '--force'], '--out needs a value, but "--force" follows; write --out=--force if that is the value'],
  [['--ouy', 'f'], 'unknown flag --ouy; did you mean --out?'],
  [['--out', 'f', '--completely-else'], 'unknown flag --completely-else'],
  [['--out', 'f', '-x'], 'unknown flag -x'],
  [['--out', 'f', '--timeout-ms', '3x'], '--timeout-ms takes a whole number from 1, not "3x"'],
  [['--out', 'f', '--timeout-ms', '-5'], '--timeout-ms takes a whole number from 1, not "-5"'],
  [['--out', 'f', '--timeout-ms', '0'], '--timeout-ms takes a whole number from 1, not "0"'],
  [['--out', 'f', '--timeout-ms', '1e3'], '--timeout-ms takes a whole number from 1, not "1e3"'],
  [
    ['--out', 'f', '--timeout-ms=99999999999999999999'],
    '--timeout-ms takes a whole number from 1, not "99999999999999999999"',
  ],
  [['--out', 'f', '--days', '31'], '--days takes a whole number from 1 to 30, not "31"'],
  [['--out', 'f', '--days=x'], '--days takes a whole number from 1 to 30, not "x"'],
  [['--out', 'f', '--constructor=x'], 'unknown flag --constructor'],
  [['--out', 'f', '--toString'], 'unknown flag --toString'],
  [['--out', 'f', '--hasOwnProperty', 'x'], 'unknown flag --hasOwnProperty'],
  [['--out', 'f', '--__proto__=x'], 'unknown flag --__proto__'],
  [['--out', 'f', '--access', 'constructor'], '--access takes one of read, write, not "constructor"'],
  [['--out', 'f', '--access', 'all'], '--access takes one of read, write, not "all"'],
  [['--out', 'f', '--force=yes'], '--force takes no value'],
  [['--out', 'f', 'a', 'b'], '"b" is one word too many'],
  [['--out', 'f', '--task-1-done', 'm', '--task-1-done', 'n'], '--task-1-done is given twice'],
  [['--out', 'f', '--task-1-done'], '--task-1-done needs a value'],
  [['--out', 'f', '--task-1-done', '--force'], '--task-1-done needs a value'],
  [['--out', 'f', '--task-x-done', 'm'], 'unknown flag --task-x-done; did you mean --task-N-done?'],
];

for (const [argv, message] of MISTAKES)
  test(`${argv.join(' ') || '(nothing)'} is a mistake`, () => {
    assert.equal(parseCommandLine(SPEC, argv), { how: 'invalid', message });
  });

test('values, defaults, repeats, families and words are read', () => {
  const argv = ['--out', 'f', '--label', 'a', '--label=--b', '--task-12-done', 'm', 'word', '--force'];
  const parsed = parseCommandLine(SPEC, argv);
  assert.is(parsed.how, 'read');
  if (parsed.how !== 'read') return;
  const { text, texts, number, given, words } = parsed.args;
  assert.equal(text, { out: 'f', 'task-12-done': 'm', access: 'read' });
  assert.equal([texts, number, words], [{ label: ['a', '--b'] }, { 'timeout-ms': 300 }, ['word']]);
  assert.equal([...given].sort(), ['force', 'label', 'out', 'task-12-done']);
});

test('a number may be the largest that is allowed', () => {
  const parsed = parseCommandLine(SPEC, ['--out=f', '--days=30']);
  assert.is(parsed.how === 'read' && parsed.args.number.days, 30);
});

test('help wins over what is missing', () => {
  assert.equal(parseCommandLine(SPEC, ['--help']), { how: 'help' });
});

test.run();
