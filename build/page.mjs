// Builds the console's page into one file: its script and its style within it, so that it asks for nothing by network.
import { build } from 'esbuild';

const SCRIPT = {
  bundle: true,
  write: false,
  metafile: true,
  minify: true,
  platform: 'browser',
  target: ['chrome120', 'firefox121', 'safari17.2'],
  format: 'iife',
  charset: 'utf8',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  // dist/THIRD-PARTY.txt says them all.
  legalComments: 'none',
  logLevel: 'warning',
};

/** The page's text, and what was bundled. @param plugins of esbuild, for a test that looks into it. */
export async function pageOf(script, style, plugins = []) {
  const entryPoints = [script, style];
  const { outputFiles, metafile } = await build({ ...SCRIPT, entryPoints, outdir: 'dist', plugins: [...plugins] });
  const textOf = (kind) => outputFiles.find(({ path }) => path.endsWith(kind)).text.trim();
  return { html: htmlOf(textOf('.js'), textOf('.css')), metafile };
}

/** A script that the page loads when it is needed. */
export async function lateScriptOf(script) {
  const { outputFiles, metafile } = await build({ ...SCRIPT, entryPoints: [script], outdir: 'dist' });
  return { script: outputFiles[0].text.trim(), metafile };
}

/** One script and one style, without attributes: the server allows them by the hash of what stands within them. */
function htmlOf(script, style) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Tollgate</title>
<style>${style}</style>
</head>
<body>
<div id="page"><noscript>This page of tollgate needs JavaScript. The commands say the same: tollgate --help.</noscript></div>
<script>${script}</script>
</body>
</html>
`;
}
