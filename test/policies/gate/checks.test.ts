// The small checks: lines, JSON, changes, which of them are due, and what an acceptance command may see.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { scrubbed } from '../../../policies/gate/command-environment.ts';
import { dueChecks } from '../../../policies/gate/gate-verdict.ts';
import { readJsonAnswer } from '../../../policies/gate/json-answer.ts';
import { checkChanges, checkLines } from '../../../policies/gate/required-output.ts';
import { NO_PROJECT_FILE } from '../../../policies/manifest/project-file.ts';
import { resolveRole, type StageWords } from '../../../policies/manifest/resolved-role.ts';

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
  for (const [answer, value] of read) {
    const found = readJsonAnswer(answer);
    assert.equal(found.how === 'read' && found.value, value, answer.slice(0, 80));
    assert.equal(found.how === 'read' && JSON.parse(found.text), value, answer.slice(0, 80));
  }
  const invalid: [answer: string, text: RegExp][] = [
    ['', /^the answer must be JSON: it is not JSON \(it is empty\), and holds no block of it$/],
    [
      '{"a": 1}\nDone.',
      /^the answer must be JSON: it is not JSON \((?:wrong at character 9|.*malformed)\), and holds no/,
    ],
    ['```json\n1\n```\n```json\n2\n```', /: it holds 2 blocks of code, and must be one value$/],
    ['As:\n```json\n{"a":1}\n```\nMine: {"a":2}.', /: it holds JSON beside its block of code, and must be one value$/],
    ['{\n "a": 2\n}\nas\n```json\n{"a":1}\n```\n', /: it holds JSON beside its block of code, and must be one value$/],
    ['```json\n{"a": }\n```', /: its block of code is not JSON \(/],
  ];
  for (const [answer, text] of invalid) {
    const found = readJsonAnswer(answer);
    assert.ok(found.how === 'invalid', answer);
    assert.match(found.finding.text, text);
    assert.equal([found.finding.check, found.finding.reason], ['schema', 'not_json']);
  }
});

test('a stage that must change the tree and did not', () => {
  assert.is(checkChanges([{ path: 'x', how: 'added' }], false), null);
  assert.is(checkChanges([], true), null);
  assert.equal([checkChanges([], false)?.class, checkChanges([], false)?.reason], ['contract_violation', 'no_change']);
});

const COMMANDS = ['npm test'];

test('what is due, by role and stage', () => {
  const rows: [what: string, due: string[], stage: { role: string } & Partial<StageWords>, commands: string[]][] = [
    ['brief', ['refusal', 'sections', 'lines'], { role: 'brief' }, []],
    ['brief that runs the commands', ['refusal', 'sections', 'lines', 'acceptance'], { role: 'brief' }, COMMANDS],
    ['impl', ['refusal', 'changes', 'sections', 'lines'], { role: 'impl' }, []],
    ['impl, full', ['refusal', 'changes', 'sections', 'lines'], { role: 'impl', access: 'full' }, []],
    ['impl, read', ['refusal', 'sections', 'lines', 'diff'], { role: 'impl', access: 'read' }, []],
    ['impl, read, no diff', ['refusal', 'sections', 'lines'], { role: 'impl', access: 'read', diff: false }, []],
    ['impl by a prompt of its own', ['refusal', 'changes'], { role: 'impl', prompt: 'p.md' }, []],
    ['verify', ['refusal', 'sections', 'lines', 'verdict', 'acceptance'], { role: 'verify' }, COMMANDS],
    ['verify without commands', ['refusal', 'sections', 'lines', 'verdict'], { role: 'verify' }, []],
    ['review with a diff', ['refusal', 'sections', 'lines', 'diff'], { role: 'review', diff: true }, []],
    ['review as JSON', ['refusal', 'schema'], { role: 'review', schema: {} }, []],
    ['review as JSON with lines', ['refusal', 'lines', 'schema'], { role: 'review', schema: {}, min_lines: 2 }, []],
    ['nothing required', ['refusal'], { role: 'review', requires: [], min_lines: 0 }, []],
  ];
  for (const [what, due, stage, commands] of rows) {
    const resolved = resolveRole({ name: 's', ...stage }, NO_PROJECT_FILE, 'trusted');
    assert.ok(resolved.how === 'read', what);
    assert.equal(dueChecks(resolved.role, stage, commands), ['judge', 'scope', ...due], what);
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
