// Lets one bundle take out of another what both need: a copy of its own would be read and evaluated once more.
import { isBuiltin } from 'node:module';
import path from 'node:path';

/** What picks error lines while a CLI runs lends to what judges a call that failed. */
const LENDER = 'policies/stderr/error-lines.ts';
export const BORROWER = 'loops/call/failed.ts';
/** The rest of what both need hangs from these. */
export const LENT = [
  LENDER,
  'policies/normal-form/bodies.ts',
  'policies/normal-form/normalise.ts',
  'policies/stderr/assess.ts',
  'policies/token-classes/token-classes.ts',
].map((file) => path.resolve(file));

/** Of the bundle of a lazy import. */
export function nameOf(file) {
  const place = path.relative('.', path.resolve(file)).replace(/\.\w+$/, '');
  return `lazy-${place.replace(/[^\w-]+/g, '-')}`;
}

/** The lender has each file that it lends under its name, beside its own exports. @param borrowed what this bundle takes. */
export function borrow(build, borrowed) {
  const bundle = `./${nameOf(LENDER)}.cjs`;
  build.onResolve({ filter: /./ }, async ({ path: wish, kind, importer, resolveDir, pluginData }) => {
    if (wish === bundle) return { path: bundle, external: true };
    if (pluginData === 'seen' || kind === 'dynamic-import' || isBuiltin(wish)) return undefined;
    if (kind === 'entry-point') return wish === path.resolve(LENDER) ? { path: wish, namespace: 'lender' } : undefined;
    if (borrowed.length === 0) return undefined;
    const { path: file } = await build.resolve(wish, { kind, importer, resolveDir, pluginData: 'seen' });
    return borrowed.includes(file) ? { path: path.relative('.', file), namespace: 'borrowed' } : undefined;
  });
  const lent = LENT.map(
    (file) => `export * as ${JSON.stringify(path.relative('.', file))} from ${JSON.stringify(file)};`,
  );
  build.onLoad({ filter: /./, namespace: 'lender' }, () => ({
    contents: [`export * from './${LENDER}';`, ...lent].join('\n'),
    resolveDir: '.',
  }));
  build.onLoad({ filter: /./, namespace: 'borrowed' }, ({ path: file }) => ({
    contents: `module.exports = require('${bundle}')[${JSON.stringify(file)}];`,
    resolveDir: '.',
  }));
}
