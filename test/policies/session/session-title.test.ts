// What a session is called: by the goal and the tag of its task, else by its first prompt.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sessionTitle } from '../../../policies/session/session-title.ts';

const ROWS: [prompt: string, title: string][] = [
  [
    '[Feature: fix]\n\n# Rules\n\n- Do what\n\n# Goal\n\nFind the bug.\nIn the login.\n\n# Scope\n',
    'Find the bug. [fix]',
  ],
  ['[Feature: a tag]\n\n# Rules\n\nwithout a goal', 'a tag'],
  // As a CLI cuts it in its own list.
  ['[Feature: fix] # Rules - Do what your part asks', 'fix'],
  ['List the files.', 'List the files.'],
  ['look at [Feature: fix]', 'look at [Feature: fix]'],
  ['', ''],
];
for (const [prompt, title] of ROWS) test(JSON.stringify(prompt), () => assert.is(sessionTitle(prompt), title));

test.run();
