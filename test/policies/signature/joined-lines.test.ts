// Lines that belong together, and lines that are somebody else's: multi-line JSON, levels of a logger, codex' echo.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createErrorLines } from '../../../policies/signature/error-lines.ts';
import { signText } from '../../../policies/signature/sign.ts';

function select(...lines: string[]): string[] {
  const selected = createErrorLines();
  for (const line of lines) selected.push(line);
  return selected.lines();
}

test('JSON of several lines is one, also where a terminal wrapped a text in it', () => {
  const one = ['[API Error: {"error":{"code":429,"message":"too many of them"}}]'];
  assert.equal(select('[API Error: {', '  "error": {"code": 429,', '  "message": "too many of them"}', '}]'), one);
  assert.equal(select('[API Error: {"error":{"code":429,"message":"too many', 'of them"}}]'), one);
});

test('what opens a bracket and is not JSON comes out as it went in', () => {
  assert.equal(select('Error: boom {', '  code: 1', '}'), ['Error: boom {', '  code: 1', '}'].slice(0, 2));
});

test('brackets that are deeper than any stack are no JSON', () => {
  const deep = '['.repeat(2000);
  assert.ok(select('Error: boom', deep, deep, deep, deep.replaceAll('[', ']')).includes('Error: boom'));
});

test("a logger's levels tell the error from what stands around it", () => {
  const at = '2026-11-21T20:16:49Z';
  assert.equal(select(`${at} INFO cache lookup failed`, `${at} ERROR seventh star`, `${at} DEBUG not found`), [
    'seventh star',
  ]);
});

test('the order of the members of JSON does not change the signature, nor the time before a line', () => {
  const signed = [
    'Error: {"code":429,"message":"slow down"}',
    'Error: {"message":"slow down","code":429}',
    '2026-11-21T20:16:49Z Error: {"code":429,"message":"slow down"}',
    '│ Error: {"code":429,"message":"slow down"}   │',
  ].map((text) => signText('codex', text).signature);
  assert.is(new Set(signed).size, 1);
});

test.run();
