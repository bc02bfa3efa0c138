// An error that one bundle throws is known in another one, which has a copy of its class.

import { build } from 'esbuild';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

type Copy = typeof import('../../../state/system-error.ts') &
  typeof import('../../../state/disk/strange-state-error.ts') &
  typeof import('../../../state/journal/journal.ts') &
  typeof import('../../../state/disk/regular-file.ts');

const EXPORTS = ['system-error', 'disk/strange-state-error', 'journal/journal', 'disk/regular-file'].map(
  (name) => `export * from './state/${name}.ts';`,
);

/** As each bundle has them. */
async function copied(): Promise<Copy> {
  const stdin = { contents: EXPORTS.join('\n'), resolveDir: process.cwd(), loader: 'ts' } as const;
  const { outputFiles } = await build({ stdin, bundle: true, write: false, platform: 'node', format: 'cjs' });
  const module = { exports: {} };
  new Function('module', 'exports', 'require', outputFiles[0]!.text)(
    module,
    module.exports,
    process.getBuiltinModule('module').createRequire(import.meta.url),
  );
  return module.exports as Copy;
}

test('each kind is itself and what it stands below, in any copy, and nothing else', async () => {
  const [one, other] = await Promise.all([copied(), copied()]);
  assert.is.not(one.JournalError, other.JournalError);
  const kinds = (error: unknown) => [
    error instanceof other.UnfitFileError,
    error instanceof other.StrangeStateError,
    error instanceof other.JournalError,
  ];
  assert.equal(kinds(new one.UnfitFileError('a', 'EINVAL', 'is a folder')), [true, false, false]);
  assert.equal(kinds(new one.StrangeStateError('strange')), [false, true, false]);
  assert.equal(kinds(new one.JournalError('torn')), [false, true, true]);
  for (const none of [new Error('another'), null, undefined, 'text', {}])
    assert.equal(kinds(none), [false, false, false]);
});

test('a refusal is told for what another copy has thrown', async () => {
  const [one, other] = await Promise.all([copied(), copied()]);
  assert.is(other.refusalOf(new one.JournalError('the journal lost its end')), 'the journal lost its end');
  assert.match(
    other.refusalOf(new one.UnfitFileError('a', 'EFBIG', 'is too large'))!,
    /^a is too large; put it elsewhere/,
  );
});

test.run();
