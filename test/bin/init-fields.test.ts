// Every example in a new manifest works when it alone is taken into use, on a task with an attachment.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MANIFEST_FIELDS } from '../../policies/manifest/manifest-fields.ts';
import { TAKEN_OUT } from '../../policies/manifest/new-task-files.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig; file: string; template: string }>('examples of a new manifest');
test.before(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
  mkdirSync(path.join(context.rig.project, '.git'));
  context.rig.write('.tmp/task/fix/inputs/attachments/build.log', 'error: no\n');
  await context.rig.run('tollgate', ['init', 'fix', '--goal', 'Mend the login.']);
  context.file = path.join(context.rig.project, '.tmp/task/fix/manifest.yaml');
  context.template = readFileSync(context.file, 'utf8');
});
test.after(({ rig }) => rig.dispose());

const isGroup = (field: string): boolean =>
  Object.keys(MANIFEST_FIELDS).some((other) => other.startsWith(`${field}.`) || other.startsWith(`${field}[].`));
/** Of what its example shows as a whole no part stands by itself. */
const isShown = (field: string): boolean => field.startsWith('supervise.');
const FIELDS = Object.keys(MANIFEST_FIELDS).filter(
  (field) => (MANIFEST_FIELDS[field]!.example !== null || isGroup(field)) && !isShown(field),
);

/** Examples that cannot stand alone: what they need besides. */
const NEEDS: Record<string, { why: string; file: string; text: string }> = {
  'stages[].prompt': { why: 'it names a template, which must be there', file: 'inputs/brief.md', text: '{{goal}}\n' },
};

/** The new manifest with this field in use, and the groups that it is in. */
function taken(template: string, field: string): string {
  const inUse = FIELDS.filter((one) => one === field || field.startsWith(`${one}.`) || field.startsWith(`${one}[].`));
  const left = [...FIELDS];
  const text = template.replace(/^ *(?:- )?#?([\w$]+):.*/gm, (line, name) => {
    const next = left.shift()!;
    assert.is(name, next.split('.').at(-1)!.replace('[]', ''));
    return inUse.includes(next) ? line.replace(TAKEN_OUT, '') : line;
  });
  assert.equal(left, []);
  return text;
}

test('supervise takes the place of stages, and is told beside them', async ({ rig, file, template }) => {
  const text = taken(template, 'supervise');
  const run = async (...argv: string[]) => (await rig.run('tollgate', argv)).stderr;
  writeFileSync(file, text);
  assert.match(await run('run', 'fix', '--dry-run'), 'it has supervise beside stages');
  writeFileSync(file, text.replace(/^stages:\n(?: .*\n)*/m, ''));
  assert.match(await run('run', 'fix', '--dry-run'), 'fix is a supervised task, and has no stages to run');
});

for (const field of FIELDS.filter((field) => MANIFEST_FIELDS[field]!.example !== null && field !== 'supervise'))
  test(`${field}${NEEDS[field] === undefined ? '' : `: ${NEEDS[field].why}`}`, async ({ rig, file, template }) => {
    const { file: needed, text } = NEEDS[field] ?? {};
    if (needed !== undefined) rig.write(`.tmp/task/fix/${needed}`, text!);
    writeFileSync(file, taken(template, field));
    const { code, stdout, stderr } = await rig.run('tollgate', ['run', 'fix', '--dry-run', '--json']);
    assert.equal([code, stderr], [0, '']);
    assert.equal(JSON.parse(stdout).stages[0].warnings, []);
  });

test.run();
