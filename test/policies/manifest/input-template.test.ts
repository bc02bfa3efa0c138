// What of a new task's inputs is still to fill in, and that nothing else is taken from them.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { filledIn, INPUT_TEMPLATES } from '../../../policies/manifest/new-task-files.ts';

const NAMES = Object.keys(INPUT_TEMPLATES) as (keyof typeof INPUT_TEMPLATES)[];

for (const name of NAMES)
  test(`an untouched ${name} says nothing`, () => {
    assert.is(filledIn(INPUT_TEMPLATES[name], name).trim(), '');
    assert.is(filledIn(INPUT_TEMPLATES[name].replaceAll('\n', '\r\n'), name).trim(), '');
    assert.is(filledIn(INPUT_TEMPLATES[name].replace(/<!--.*-->\n/g, ''), name).trim(), '');
  });

const REQUEST = INPUT_TEMPLATES['user_request.md'];
const ASKED = '<!-- The request, in the words of its author. -->';
const NOT = '<!-- Related work that is out of scope. -->';

const ROWS: [what: string, text: string, kept: string][] = [
  ['the request alone', REQUEST.replace(ASKED, 'Mend it.'), '# Request\n\nMend it.'],
  ['below its comment', REQUEST.replace(ASKED, `${ASKED}\nMend it.`), '# Request\n\nMend it.'],
  ['a section alone', REQUEST.replace(NOT, '- No rewrite.'), '# Request\n\n\n## Non-goals\n\n- No rewrite.'],
];
for (const [what, text, kept] of ROWS)
  test(`${what}: what is filled in is kept with its headings`, () => {
    assert.is(filledIn(text, 'user_request.md').trimEnd(), kept);
  });

const WORDS: [what: string, text: string][] = [
  ['a comment of their own', 'Say this.\n\n<!-- and this -->\n'],
  ['a comment that was changed', '# Request\n\n<!-- Mend the login. -->\n'],
  ['a comment within a line', `Put "${ASKED}" into the template.\n`],
  ['a comment over lines', '<!--\nMend it.\n-->\n'],
  ['headings of their own', '# Bug\n\n## Steps\n'],
  ["the template's headings in a block", '```\n# Request\n\n## Non-goals\n```\n'],
  ['other ends of lines', 'one\r\ntwo\u2028three\rfour'],
];
for (const [what, text] of WORDS)
  test(`${what}: kept to the byte`, () => {
    for (const name of NAMES) assert.is(filledIn(text, name), text);
  });

test.run();
