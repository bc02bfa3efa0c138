// npm run demo:distill: distils a small book of the public domain by the real code, with a service on the loopback (no key, no network).
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from './service.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const tollgate = path.join(here, '../../dist/tollgate.cjs');
const run = path.resolve('.tmp/distill/two-speeches');
rmSync(run, { recursive: true, force: true });

console.log(
  'Distilling an EPUB with two speeches of Abraham Lincoln, section by section, with a replay in place of the Gemini API.',
);
console.log('It is overloaded once on purpose.\n');
const service = await startService();
const words = ['distill', path.join(here, 'two-speeches.epub'), '--prompt', path.join(here, 'prompt.md')];
const child = spawn(process.execPath, [tollgate, ...words, '--model', 'gemini-2.5-flash-lite'], {
  stdio: 'inherit',
  env: { ...process.env, GEMINI_API_KEY: 'no-key-is-needed-here', GOOGLE_GEMINI_BASE_URL: service.url },
});
process.exitCode = await new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
service.close();
if (process.exitCode === 0) {
  const document = path.join(run, 'two-speeches.md');
  console.log(`\n${path.relative('.', document)} begins:\n`);
  console.log(readFileSync(document, 'utf8').split('\n').slice(0, 5).join('\n'));
  console.log('\nWith a key of your own, a book of your own is one line:\n');
  console.log('    GEMINI_API_KEY=… npx tollgate distill BOOK.epub --prompt examples/distill/prompt.md\n');
}
