// A version is inside, below or above what was tested, by its numbers alone.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BuiltIn, TOOLS } from '../../../policies/facts/tools.ts';
import { compareVersions, judgeVersion, TESTED_VERSIONS } from '../../../policies/manifest/tested-versions.ts';

const test = suite('tested versions');

const ROWS: readonly [tool: BuiltIn, version: string, verdict: ReturnType<typeof judgeVersion>][] = [
  ['gemini', '0.45.1', 'older'],
  ['gemini', '0.45.2', 'tested'],
  ['gemini', '0.61.12', 'tested'],
  ['gemini', '0.62.0-nightly.20261121', 'newer'],
  ['gemini', '0.9.0', 'older'],
  ['codex', '0.136.9', 'older'],
  ['codex', '0.171.4', 'tested'],
  ['codex', '0.172.0', 'newer'],
  ['copilot', '1.0.74', 'older'],
  ['copilot', '1.0.75', 'tested'],
  ['copilot', '1.0.1020', 'tested'],
  ['copilot', '2.0.0', 'newer'],
  ['claude', '2.1.99', 'older'],
  ['claude', '2.1.197', 'tested'],
  ['claude', '2.1.400', 'tested'],
  ['claude', '2.2.0', 'newer'],
];

for (const [tool, version, verdict] of ROWS)
  test(`${tool} ${version} is ${verdict}`, () => assert.is(judgeVersion(tool, version), verdict));

for (const tool of TOOLS)
  test(`every version of ${tool} that was run lies in its range, and the last one is what is installed`, () => {
    const { tested, install } = TESTED_VERSIONS[tool];
    for (const version of tested) assert.is(judgeVersion(tool, version), 'tested', version);
    assert.ok(install.endsWith(`@${tested.at(-1)}`), install);
  });

test('versions compare by number, not by letter', () => {
  assert.is(Math.sign(compareVersions('20.9.0', '20.19.0')), -1);
  assert.is(compareVersions('v22.1', '22.1.0'), 0);
});

test.run();
