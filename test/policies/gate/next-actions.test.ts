// What is to be done about what a gate found: for each reason its whole list, free ways first.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GATE_REASONS } from '../../../policies/facts/classes.ts';
import type { Finding } from '../../../policies/facts/gate-record.ts';
import { actionLine, toDo } from '../../../policies/facts/next-action.ts';
import {
  type GatedCall,
  gateNextActions,
  outdatedBy,
  type StageInLine,
  type Writer,
  writerOf,
} from '../../../policies/gate/next-actions.ts';

const CALL: GatedCall = {
  called: { launcher: 'tollgate', verb: 'run', word: 'fix', trusts: false },
  stage: 'gemini_verify',
  tool: 'gemini',
  answer: 'paid',
  rechecks: false,
  restored: 'none',
  answerFile: 'OUT',
  place: (field) => `manifest.yaml (${field})`,
  writer: null,
  outdated: [],
  budget: { used: 2, total: 10 },
};
const WRITER: Writer = { stage: 'codex_impl', tool: 'codex', after: ['gemini_verify'] };
const found = (reason: Finding['reason'], next: string[] = [], errorClass: Finding['class'] = 'contract_violation') =>
  ({
    check: 'judge',
    class: errorClass,
    reason,
    missing: [],
    text: reason,
    next_actions: next.map(toDo),
  }) as const satisfies Finding;

const FREE = 'check the answer again (free): `tollgate run fix`';
const RUNS = 'run the acceptance commands again (free): `tollgate run fix';
const PAID = '`tollgate run fix --redo gemini_verify`';
const KEEP = 'check the answer again (free): `tollgate run fix --keep gemini_verify`';
const OTHERWISE = `call gemini again, best with another \`model\` or \`tool\` in the stage, for one paid call: ${PAID}`;
const BY_USER = 'only if the user decides so, since it weakens the gate';
const CHANGES_COMMAND = `${BY_USER}: if a command itself is wrong, change it (manifest.yaml (acceptance)), and ${RUNS} --keep gemini_verify\``;

const ROWS: [why: string, findings: Finding[], call: Partial<GatedCall>, next: string[]][] = [
  ['nothing was found', [], {}, []],
  [
    'a judge without a writer before it',
    [found('acceptance_failed', ['read LOG'])],
    {},
    ['read LOG', `fix what fails, then ${RUNS}\``, CHANGES_COMMAND],
  ],
  [
    'a judge of what another stage wrote',
    [found('acceptance_failed', ['read LOG'])],
    { writer: WRITER },
    [
      'read LOG',
      `fix what fails, then ${RUNS}\``,
      'let codex_impl fix it (its prompt gets the end of that log; 2 paid calls): `tollgate run fix --redo codex_impl --redo gemini_verify`',
      CHANGES_COMMAND,
    ],
  ],
  [
    'a judge that does not read what was written',
    [found('acceptance_failed')],
    { writer: { ...WRITER, after: [] } },
    [
      `fix what fails, then ${RUNS}\``,
      'let codex_impl fix it (its prompt gets the end of that log; one paid call; gemini_verify then checks again for free): `tollgate run fix --redo codex_impl`',
      CHANGES_COMMAND,
    ],
  ],
  [
    'a verdict of FAIL',
    [found('verdict_fail')],
    { writer: WRITER },
    [
      'read the findings in OUT',
      'let codex_impl fix it (its prompt gets those findings; 2 paid calls): `tollgate run fix --redo codex_impl --redo gemini_verify`',
      `fix what they name, and have it checked again by gemini, for one paid call: ${PAID}`,
    ],
  ],
  [
    'a verdict of FAIL about work that was done anew since',
    [found('verdict_fail')],
    { writer: WRITER, outdated: ['gemini_verify'] },
    [
      `have the new work checked: this verdict is about earlier work, because codex_impl has answered again (one paid call): ${PAID}`,
    ],
  ],
  [
    'a budget for one call, where one line needs two',
    [found('verdict_fail')],
    { writer: WRITER, budget: { used: 2, total: 3 } },
    [
      'read the findings in OUT',
      `fix what they name, and have it checked again by gemini, for one paid call: ${PAID}`,
      'only if the user allows more paid calls: raise the limit, and let codex_impl fix it (its prompt gets those findings; 2 paid calls): `tollgate budget fix --set 4 && tollgate run fix --redo codex_impl --redo gemini_verify`',
    ],
  ],
  [
    'a budget that is used up',
    [found('refusal')],
    { budget: { used: 3, total: 3 } },
    [
      'ask the user whether this task may pay for more calls',
      'only if the user allows more paid calls: raise the limit, and call gemini again, for one paid call: `tollgate budget fix --set 4 && tollgate run fix --redo gemini_verify`',
    ],
  ],
  [
    'no verdict',
    [found('verdict_missing')],
    { writer: WRITER },
    [
      OTHERWISE,
      `${BY_USER}: read OUT, write PASS or FAIL alone on the first line of its section "Verdict" if its judgement is clear, then ${FREE}`,
      `${BY_USER}: accept it without a verdict (\`on_fail: note\` of the stage, manifest.yaml (on_fail)), then ${FREE}`,
    ],
  ],
  [
    'sections',
    [found('missing_sections')],
    {},
    [
      OTHERWISE,
      `${BY_USER}: if the requested content is in OUT under another heading, correct the headings there, then ${FREE}`,
      `${BY_USER}: require other headings (\`requires\` of the stage, manifest.yaml (requires)), and ${KEEP}`,
    ],
  ],
  [
    'what is out of scope comes before what is missing, and what others ask for comes last',
    [found('refusal', ['name them']), found('out_of_scope', ['take it back'], 'scope_violation')],
    {},
    [
      'take it back',
      `when these changes are reverted, ${FREE}`,
      'or restore the files, and check again (free): `tollgate run fix --restore`',
      'name them',
      `only if the user decides so, since it widens the scope: allow these changes (manifest.yaml (scope)), and ${KEEP}`,
    ],
  ],
  [
    'what was put back',
    [found('out_of_scope', ['take it back'], 'scope_violation')],
    { restored: 'some' },
    [`the changes out of scope are reverted: ${FREE}`],
  ],
  [
    'what could not all be put back',
    [found('out_of_scope', ['take it back'], 'scope_violation')],
    { restored: 'not_all' },
    [
      'take it back',
      `when these changes are reverted, ${FREE}`,
      `only if the user decides so, since it widens the scope: allow these changes (manifest.yaml (scope)), and ${KEEP}`,
    ],
  ],
  [
    'where nothing else was changed',
    [found('out_of_scope', ['take it back'], 'scope_violation')],
    { restored: 'all' },
    [
      `all changes were out of scope, and are reverted: call gemini again, for one paid call: ${PAID}`,
      `or, if the stage needs no change, ${FREE}`,
    ],
  ],
  [
    'a call that failed besides',
    [found('out_of_scope', ['take it back'], 'scope_violation')],
    { answer: 'none' },
    ['take it back', 'call gemini again: `tollgate run fix`'],
  ],
];
for (const [why, findings, call, next] of ROWS)
  test(why, () => assert.equal(gateNextActions(findings, { ...CALL, ...call }).map(actionLine), next));

test('every reason of a gate has a line to type', () => {
  for (const reason of GATE_REASONS) {
    const next = gateNextActions([found(reason)], CALL);
    assert.ok(
      next.some(({ command }) => command?.startsWith('tollgate run fix')),
      reason,
    );
  }
});

const stage = (name: string, role: string, reads: string[] = [], writes = false): StageInLine => ({
  name,
  tool: 'codex',
  role,
  writes,
  reads,
});
const LINE = [
  stage('brief', 'brief'),
  stage('impl', 'impl', ['brief'], true),
  stage('tests', 'test_impl', ['impl'], true),
  stage('static', 'static_verify', ['impl', 'test_impl']),
  stage('verify', 'verify', ['impl', 'test_impl', 'static_verify']),
  stage('later', 'runbook', ['verify']),
];

test('the writer is the nearest one before it, and whoever reads it or its readers is concerned', () => {
  const of = (line: StageInLine[], name: string) => {
    const writer = writerOf(line, name);
    return writer && [writer.stage, ...writer.after];
  };
  assert.equal(of(LINE, 'verify'), ['tests', 'static', 'verify']);
  assert.equal(of(LINE, 'impl'), ['impl']);
  assert.is(of(LINE, 'brief'), null);
  const [brief, impl, , blind] = LINE as [StageInLine, StageInLine, StageInLine, StageInLine];
  const second = stage('second', 'verify', ['static_verify']);
  assert.equal(of([brief, impl, blind, second], 'second'), ['impl', 'static', 'second']);
  assert.equal(of([brief, impl, { ...second, reads: [] }], 'second'), ['impl']);
});

test('whose answer is about earlier work of the writer', () => {
  const writer = { stage: 'impl', tool: 'codex', after: ['static', 'verify'] } as const;
  const of = (...answered: string[]) => outdatedBy({ ...writer, after: [...writer.after] }, 'verify', answered);
  assert.equal(of('impl', 'static', 'verify'), []);
  assert.equal(of('static', 'verify', 'impl'), ['static', 'verify']);
  assert.equal(of('verify', 'impl', 'static'), ['verify']);
  assert.equal(of('static', 'impl', 'verify'), []);
  assert.equal(of('static', 'verify'), []);
});

test.run();
