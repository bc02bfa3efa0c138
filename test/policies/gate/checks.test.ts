// The small checks: lines, JSON, changes, which of them are due, and what an acceptance command may see.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkChanges } from '../../../policies/gate/changes.ts';
import { dueChecks, promisesDiff } from '../../../policies/gate/due-checks.ts';
import { readJsonAnswer } from '../../../policies/gate/json-answer.ts';
import { checkLines } from '../../../policies/gate/lines.ts';
import { scrubbed } from '../../../policies/gate/scrubbed-environment.ts';
import { ROLES } from '../../../policies/roles.ts';

test('lines with text are counted, and nothing else', () => {
  const answer = '# A\n\n---\n- b\n   \n**\n```\ncode\n}\n```\n<!-- x -->\n| | |\n\u200b\n';
  assert.is(checkLines(answer, 4), null);
  assert.equal(checkLines(answer, 5), {
    check: 'lines',
    class: 'contract_violation',
    reason: 'too_short',
    missing: ['at least 5 lines with text'],
    text: 'the answer has 4 lines with text; at least 5 must be there',
    next_actions: [],
  });
  assert.is(checkLines('', 1)?.text, 'the answer has 0 lines with text; at least 1 must be there');
  assert.is(checkLines('a\nb', 3)?.missing[0], 'at least 3 lines with text');
  assert.is(checkLines('', 0), null);
});

test('the JSON of an answer', () => {
  const read: [answer: string, value: unknown][] = [
    [' {"a": 1}\n', { a: 1 }],
    ['\ufeff[1]', [1]],
    ['"text"', 'text'],
    ['Here it is:\n```json\n{"a": 1}\n```\nDone.', { a: 1 }],
    ['```JSON\n[]\n```', []],
    ['```\n{"a": 1}\n```', { a: 1 }],
    ['```sh\nls\n```\n```json\n1\n```', 1],
    [`${'['.repeat(5000)}${']'.repeat(5000)}`, JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`)],
  ];
  for (const [answer, value] of read) assert.equal(readJsonAnswer(answer), { how: 'read', value }, answer.slice(0, 80));
  const mistaken: [answer: string, text: RegExp][] = [
    ['', /^the answer must be JSON: it is no JSON \(it is empty\), and holds no block of it$/],
    [
      '{"a": 1}\nDone.',
      /^the answer must be JSON: it is no JSON \((?:wrong at character 9|.*malformed)\), and holds no/,
    ],
    ['```json\n1\n```\n```json\n2\n```', /: it holds 2 blocks of code, and must be one value$/],
    ['```json\n{"a": }\n```', /: its block of code is no JSON \(/],
  ];
  for (const [answer, text] of mistaken) {
    const found = readJsonAnswer(answer);
    assert.ok(found.how === 'mistaken', answer);
    assert.match(found.finding.text, text);
    assert.equal([found.finding.check, found.finding.reason], ['schema', 'not_json']);
  }
});

test('a stage that must change the tree and did not', () => {
  assert.is(checkChanges([{ path: 'x', how: 'added' }], false), null);
  assert.is(checkChanges([], true), null);
  assert.equal([checkChanges([], false)?.class, checkChanges([], false)?.reason], ['contract_violation', 'no_change']);
});

const NO_COMMANDS = { acceptance: { commands: [] } };
const COMMANDS = { acceptance: { commands: ['npm test'] } };
const STAGE = { may_be_empty: false };

test('what is due, by role and stage', () => {
  const rows: [what: string, due: string[], asked: Parameters<typeof dueChecks>][] = [
    ['brief', ['refusal', 'sections', 'lines'], [STAGE, ROLES.brief, 'read', COMMANDS]],
    ['impl', ['refusal', 'changes', 'sections', 'lines'], [STAGE, ROLES.impl, 'write', COMMANDS]],
    ['impl, full', ['refusal', 'changes', 'sections', 'lines'], [STAGE, ROLES.impl, 'full', COMMANDS]],
    ['impl, read', ['refusal', 'sections', 'lines', 'diff'], [STAGE, ROLES.impl, 'read', COMMANDS]],
    [
      'impl, read, no diff',
      ['refusal', 'sections', 'lines'],
      [{ ...STAGE, diff: false }, ROLES.impl, 'read', COMMANDS],
    ],
    ['verify', ['refusal', 'sections', 'lines', 'acceptance'], [STAGE, ROLES.verify, 'read', COMMANDS]],
    ['verify without commands', ['refusal', 'sections', 'lines'], [STAGE, ROLES.verify, 'read', NO_COMMANDS]],
    [
      'review with a diff',
      ['refusal', 'sections', 'lines', 'diff'],
      [{ ...STAGE, diff: true }, ROLES.review, 'read', COMMANDS],
    ],
    ['review as JSON', ['refusal', 'schema'], [{ ...STAGE, schema: {} }, ROLES.review, 'read', COMMANDS]],
    [
      'review as JSON with lines',
      ['refusal', 'lines', 'schema'],
      [{ ...STAGE, schema: {}, min_lines: 2 }, ROLES.review, 'read', COMMANDS],
    ],
    ['nothing required', ['refusal'], [{ ...STAGE, requires: [], min_lines: 0 }, ROLES.review, 'read', COMMANDS]],
  ];
  for (const [what, due, asked] of rows) assert.equal(dueChecks(...asked), ['judge', 'scope', ...due], what);
});

test('every role and access', () => {
  for (const role of Object.values(ROLES)) {
    assert.is(promisesDiff({}, role, 'read'), role.changesTree);
    assert.is(promisesDiff({}, role, 'write'), false);
    assert.is(promisesDiff({ diff: true }, role, 'full'), true);
  }
});

test('an acceptance command sees nothing secret and nothing of ours', () => {
  const environment = {
    PATH: '/bin',
    HOME: '/home/hunter2',
    LC_ALL: 'C',
    CI: 'true',
    MAX_TOKENS: '100',
    SSH_KEY_PATH: '/k',
    GITHUB_TOKEN: 'x',
    db_password: 'y',
    DATABASE_URL: 'postgres://u:hunter2@h',
    TOLLGATE_STATE: '/s',
    GEMINI_MODEL: 'pro',
    COPILOT_X: '1',
    OPENAI_BASE_URL: 'http://h',
    CODEX_HOME: '/c',
    GONE: undefined,
  };
  const redact = (text: string) => text.replaceAll('hunter2', '[REDACTED:own]');
  const kept = { PATH: '/bin', HOME: '/home/hunter2', LC_ALL: 'C', CI: 'true', MAX_TOKENS: '100', SSH_KEY_PATH: '/k' };
  assert.equal(scrubbed(environment, undefined, redact), kept);
  assert.equal(scrubbed(environment, ['CI', 'GITHUB_TOKEN', 'CODEX_HOME'], redact), {
    PATH: '/bin',
    HOME: '/home/hunter2',
    LC_ALL: 'C',
    CI: 'true',
  });
});

test.run();
