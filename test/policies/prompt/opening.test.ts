// What a composed prompt begins with, and that no other prompt is taken for one.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { composeText } from '../../../policies/prompt/compose-text.ts';
import { openingOf } from '../../../policies/prompt/opening.ts';
import { RULES } from '../../../policies/prompt/rules.ts';
import { asking, REDACTOR, sourceOf } from './source.ts';

const composed = (rules: string) =>
  composeText(sourceOf({ rules, request: asking('# Goal\n\nOf the request.') }), 'off', REDACTOR, 400_000).text;

for (const [what, prompt] of [
  ['the built-in rules', composed(RULES)],
  ["a project's rules", composed('# Goal\n\nOurs.\n')],
  ['no rules', composed('')],
  ['the tag of a session', `[Feature: fix]\n\n${composed(RULES)}`],
] as const)
  test(`${what}: all before the goal`, () => {
    const opening = openingOf(prompt);
    assert.is(opening?.role, 'brief');
    const rest = prompt.split('\n').slice(opening!.lines).join('\n');
    assert.match(rest, /^# Goal\n\nGoal\.\n\n# Request\n/);
    assert.match(prompt.slice(0, -rest.length), 'Template.');
  });

for (const [what, prompt] of [
  ['nothing', ''],
  ['a question', 'What is this?'],
  ['rules of another', '# Rules\n\nNone.\n\n# Goal\n\nAny.\n'],
  ['one that is quoted', `Look at this prompt:\n\n${composed(RULES)}`],
  ['one that was cut', composed(RULES).split('\n# Goal\n')[0]!],
] as const)
  test(`${what}: none`, () => assert.is(openingOf(prompt), null));

test.run();
