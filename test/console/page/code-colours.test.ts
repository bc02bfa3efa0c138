// Colours of code: what each language's parts are, and that any line keeps its text and comes to its end.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lineReader } from '../../../console/page/text/code-colours.ts';

const SAMPLES = {
  'a.ts': ['const', ' it = ', '"x"', '; // why'],
  'a.py': ['def', ' it(): return ', '"x"', ' # why'],
  'a.go': ['func', ' it() string { return ', '"x"', ' } // why'],
  'a.rs': ['fn', ' it() -> &str { ', '"x"', ' } // why'],
  'A.java': ['class', ' It { String it = ', '"x"', '; } // why'],
  'a.c': ['return', ' ', '"x"', '; // why'],
  'a.sh': ['if', ' test ', '"x"', '; then # why'],
  'a.sql': ['SELECT', ' it FROM t WHERE a = ', "'x'", ' -- why'],
} as const;

for (const [path, [keyword, , text]] of Object.entries(SAMPLES))
  test(`keywords, strings and comments of ${path}`, () => {
    const pieces = lineReader(path)!(SAMPLES[path as keyof typeof SAMPLES].join(''));
    assert.equal(
      [pieces.find(({ tone }) => tone === 'keyword')?.text, pieces.find(({ tone }) => tone === 'string')?.text],
      [keyword, text],
    );
    assert.match(pieces.find(({ tone }) => tone === 'comment')?.text ?? '', 'why');
  });

const PATHS = 'ts json yaml py go rs java kt cs c cpp sh rb css scss html xml sql toml'
  .split(' ')
  .map((end) => `a.${end}`);

test('names of fields and of elements have a tone too', () => {
  for (const [path, line, name] of [
    ['a.yaml', 'goal: x', 'goal'],
    ['a.json', '"goal": "x"', '"goal"'],
    ['a.html', '<main class="x">', 'main'],
    ['a.css', 'main { color: red; }', 'main'],
  ] as const)
    assert.ok(
      lineReader(path)!(line).some(({ text, tone }) => text.includes(name) && tone !== null),
      path,
    );
});

test('a comment goes on in the next line, and a long line ends no comment', () => {
  const read = lineReader('a.ts')!;
  read('/* begins');
  assert.equal(read('x'.repeat(400)), [{ text: 'x'.repeat(400), tone: null }]);
  assert.equal(read('within'), [{ text: 'within', tone: 'comment' }]);
  assert.is(read('*/ const a = 1;').find(({ tone }) => tone === 'keyword')?.text, 'const');
});

const HOSTILE = [
  ...[
    ' ',
    '\\',
    '"',
    "'",
    '`',
    '(',
    '[',
    '{',
    '<',
    '<a ',
    'a  ',
    '/*',
    '0',
    '1e',
    'a.',
    '$(',
    '<<',
    '- ',
    'a:',
    '#',
    '\t',
  ],
  ...['\u0000', '\u202e', '😀', '\ud800', 'r#', 'f"{', '${`', '=>', '-->', '<!--', '%q(', '@media ', 'e'],
  'constructor __proto__ toString ',
  '<script>alert(1)</script>',
].flatMap((part) => [1, 49, 300].map((length) => part.repeat(length).slice(0, length)));

for (const path of PATHS)
  test(`${path}: every line keeps its text and comes to its end`, () => {
    for (const first of HOSTILE) {
      const read = lineReader(path)!;
      for (const line of [first, 'a: b', '', first])
        assert.is(
          read(line)
            .map(({ text }) => text)
            .join(''),
          line,
        );
    }
  });

test('a file of an unknown language, or without an ending, has no reader', () => {
  for (const path of ['a.txt', 'a', 'a.', 'ts/', 'a.__proto__', 'a.constructor', 'a b/c.md'])
    assert.is(lineReader(path), null, path);
  assert.is.not(lineReader('src/A.TS'), null);
});

test.run();
