// The folder that a copilot session works in, as its workspace.yaml says it.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cwdIn } from '../../../../wrappers/copilot/sessions/store.ts';

const ROWS: [what: string, yaml: string, cwd: string | null][] = [
  ['plain', 'id: 1\ncwd: /srv/shop\nname: ONE\n', '/srv/shop'],
  ['with spaces, and the line of another system', 'cwd:   /srv/my shop \r\n', '/srv/my shop'],
  ['in double quotes', 'cwd: "/srv/a: b\\"c"\n', '/srv/a: b"c'],
  ['in single quotes', "cwd: '/srv/it''s # here'\n", "/srv/it's # here"],
  ['folded', 'cwd: /srv/a long\n  folder\nname: x\n', '/srv/a long folder'],
  ['of something else', 'name: |\n  cwd: /no\nid: 1\n', null],
  ['no path', 'cwd: >-\n  /work\n', null],
  ['half a text', 'cwd: "/work\n', null],
  ['none', '', null],
];
for (const [what, yaml, cwd] of ROWS) test(what, () => assert.is(cwdIn(yaml), cwd));

test.run();
