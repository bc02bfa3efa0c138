// A target is read in one way, or not at all.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readTarget } from '../../../../console/server/walls/guard.ts';

const READ: Record<string, string[]> = {
  '/': [],
  '/api/tasks': ['api', 'tasks'],
  '/api/tasks/a%2Fb': ['api', 'tasks', 'a/b'],
  '/api/tasks/x/texts/outputs%2Fcodex_impl.codex.out': ['api', 'tasks', 'x', 'texts', 'outputs/codex_impl.codex.out'],
  '/api/sessions/gr%C3%BC%C3%9Fe': ['api', 'sessions', 'grüße'],
};
for (const [target, parts] of Object.entries(READ))
  test(`${target} is read`, () => assert.equal(readTarget(target), { parts, token: null }));

test('the token of the page', () => assert.equal(readTarget('/?token=abc-_1'), { parts: [], token: 'abc-_1' }));

const REFUSED = [
  ...['', '*', 'api/page', 'http://127.0.0.1/api/page', '//api/page', '/api//page', '/api/page/', '/./api/page'],
  ...['/x/../api/page', '/api/../api/page', '/%2e%2e/api', '/api/%2e', '/%61pi/page', '/api%2fpage', '/api/%2Fpage%2f'],
  ...['/api\\page', '/api/page\\..', '/api/page;x', '/api/page?x=1', '/?', '/?token=', '/?token=a&token=b', '/?tok=a'],
  ...[
    '/?token=a%20b',
    '/?token=a#b',
    '/api/page#x',
    '/api/%00',
    '/api/a%0Ab',
    '/api/%E2%80%AEa',
    '/api/%ff',
    '/api/%',
    '/api/a b',
  ],
  ...['/API/../api/page', '/api/a%5C..%5Cb', `/${'a'.repeat(3000)}`, '/api/é'],
];
for (const target of REFUSED) test(`${target.slice(0, 40)} is not read`, () => assert.is(readTarget(target), null));

test('none at all', () => assert.is(readTarget(undefined), null));

test('letters stay as they are: /API is another address', () =>
  assert.equal(readTarget('/API/page'), { parts: ['API', 'page'], token: null }));

test.run();
