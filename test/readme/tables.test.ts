// The pages' tables are the literals, row by row, and nothing in the pages is left to be filled in.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CLASSES, type ErrorClass } from '../../policies/facts/classes.ts';
import { TOLLGATE_EXIT, WAIT_EXIT, WRAPPER_EXIT } from '../../policies/facts/exit-codes.ts';
import { TOOLS } from '../../policies/facts/tools.ts';
import { PIPELINES } from '../../policies/manifest/pipelines.ts';
import { ROLES, type Role } from '../../policies/manifest/roles.ts';
import { RETRY_TABLE } from '../../policies/verdict/retry.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { marked, PAGES } from '../rig/pages.ts';

/** The rows of a marked table, without the heading. */
const rowsOf = (name: string): string[] => marked(name).split('\n').slice(2);

test('exit codes', () => {
  const { ok, failure, badInput } = TOLLGATE_EXIT;
  assert.equal(rowsOf('exit codes'), [
    ...TOOLS.map((tool) => {
      const { ok, timeout, failure, missingBinary, badInput } = WRAPPER_EXIT[tool];
      return `| \`${ADAPTERS[tool].command}\` | ${ok} | ${timeout} | ${failure} | ${missingBinary} | ${badInput} |`;
    }),
    `| \`wait_parallel_tasks\` | ${WAIT_EXIT.ok} | ${WAIT_EXIT.timeout} | ${WAIT_EXIT.failure} | – | ${WAIT_EXIT.badInput} |`,
    `| \`tollgate\`, \`preflight\` | ${ok} | ${failure} | ${failure} | ${failure} | ${badInput} |`,
  ]);
});

test('the retry table', () => {
  const words = { retry: 'retry', retry_digest: 'retry with a digest', stop: 'stop' };
  const classes = Object.keys(CLASSES) as ErrorClass[];
  assert.equal(
    rowsOf('retry table'),
    classes.map((name) => {
      const { first, again } = RETRY_TABLE[name];
      return `| \`${name}\` | ${CLASSES[name].meaning} | ${words[first]} | ${words[again]} | ${CLASSES[name].next} |`;
    }),
  );
});

test('the pipelines', () => {
  assert.equal(
    rowsOf('pipelines'),
    Object.entries(PIPELINES).map(
      ([name, stages]) => `| \`${name}\` | ${stages.map(({ tool, role }) => `${tool} ${role}`).join(' → ')} |`,
    ),
  );
});

const asksForVerdict = ({ requires }: Role): boolean => requires.includes('Verdict');

test('the roles', () => {
  const listed = (names: readonly string[]) => names.join(', ') || '–';
  assert.equal(
    rowsOf('roles'),
    Object.entries<Role>(ROLES).map(([name, role]) => {
      const { access, requires, minLines, reads, ...does } = role;
      const besides = [
        does.changesTree ? 'changes the tree, or answers with a diff' : '',
        asksForVerdict(role) ? `a verdict of FAIL: ${role.onFail}` : '',
        does.runsAcceptance ? 'runs the acceptance commands' : '',
        does.handsOff ? 'its context pack replaces the task’s' : '',
      ].filter(Boolean);
      return `| \`${name}\` | ${access} | ${listed(requires)} | ${minLines} lines | ${listed(reads)} | ${besides.join(', ') || '–'} |`;
    }),
  );
});

for (const [page, text] of PAGES)
  test(`${page}: no line is a place held for something else`, () => {
    assert.equal(
      text.split('\n').filter((line) => /^\W*[A-Z][A-Z0-9 _-]+\W*$/.test(line)),
      [],
    );
  });

test('a marked table that no page has is an error', () => {
  assert.throws(() => marked('no such table'), 'no page has <!-- no such table -->');
});

test.run();
