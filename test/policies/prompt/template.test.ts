// Templates: what is put in, what is not, and no way to make one grow without end.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { expandTemplate } from '../../../policies/prompt/template.ts';

const expand = (files: Record<string, string>, variables: Record<string, string> = { goal: 'G {{role}}' }) =>
  expandTemplate(
    { name: 'main', text: files.main! },
    {
      lookUp: (name) =>
        name in files
          ? { how: 'found', template: { name, text: files[name]! } }
          : { how: 'invalid', message: 'is none' },
      variables,
    },
  );

const ROWS: [what: string, files: Record<string, string>, text: string][] = [
  ['nothing to do', { main: 'a { b } }} c\n' }, 'a { b } }} c\n'],
  ['a variable, which is not looked at again', { main: '<{{ goal }}>' }, '<G {{role}}>'],
  [
    'an include, whose last line break is not doubled',
    { main: 'a\n{{> b}}\nc\n', b: 'B {{goal}}\n' },
    'a\nB G {{role}}\nc\n',
  ],
  ['the same one twice is no circle', { main: '{{> b}}{{>b}}', b: 'B' }, 'BB'],
  ['literal braces', { main: '{{{{goal}} {{{{{{goal}}' }, '{{goal}} {{G {{role}}'],
];

for (const [what, files, text] of ROWS) test(what, () => assert.equal(expand(files), { how: 'read', text }));

const MISTAKES: [files: Record<string, string>, message: string][] = [
  [{ main: '{{> main}}' }, 'main:1: {{> main}} includes itself: main > main'],
  [{ main: 'a\n{{> b}}', b: '\n\n{{> c}}' }, 'b:3: {{> c}} is none (included by main:2)'],
  [{ main: '{{}}' }, 'main:1: {{}} is not a variable. There are goal; a literal {{ is written {{{{'],
  [{ main: '{{goal\n}}' }, 'main:1: {{ is not closed by }} on its line; a literal {{ is written {{{{'],
  [
    { main: '{{> b}}'.repeat(3), b: 'b'.repeat(500_000) },
    'main:1: {{> b}} makes a template of more than 1048576 characters',
  ],
];

for (const [files, message] of MISTAKES) test(message, () => assert.equal(expand(files), { how: 'invalid', message }));

test('forty files that include the next one twice are expanded once each', () => {
  const files: Record<string, string> = { main: '{{> f0}}{{> f0}}', f40: '' };
  for (let i = 0; i < 40; i += 1) files[`f${i}`] = `{{> f${i + 1}}}{{> f${i + 1}}}`;
  assert.equal(expand(files), { how: 'read', text: '' });
});

test('hostile text takes linear time', () => {
  const text = '{'.repeat(1_000_002);
  assert.is(expand({ main: text }).how, 'invalid');
  assert.is(expand({ main: `{{${' '.repeat(1_000_000)}x` }).how, 'invalid');
});

test.run();
