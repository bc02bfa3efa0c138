// Draws docs/run.svg: runs a task that fails, fixes the reason and runs it again, on a terminal, with a replay CLI (`npm run picture`).

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const COLUMNS = 100;
const TOLLGATE = path.resolve('dist/tollgate.cjs');
const REPLAY = path.resolve('examples/replay/replay.cjs');

/** Rejects the key once, as the service does; then answers. */
const CODEX = `#!/bin/sh
[ "$1" = --version ] && exec node '${REPLAY}' codex --version
[ -e "$HOME/signed-in" ] && exec node '${REPLAY}' codex "$@"
touch "$HOME/signed-in"
printf '%s\\n' '{"type":"thread.started","thread_id":"01900000-0000-7000-8000-000000000001"}' '{"type":"turn.started"}' \
'{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: Incorrect API key provided"}}'
exit 1
`;

const SET_KEY = 'export CODEX_API_KEY=…';
const STEPS = ['tollgate run fix-login', SET_KEY, 'tollgate run fix-login'];

/** @returns the lines of the terminal, with the escape sequences of their colours. */
function record(folder) {
  const [project, bin] = [path.join(folder, 'shop'), path.join(folder, 'bin')];
  mkdirSync(path.join(project, '.tmp/task/fix-login'), { recursive: true });
  mkdirSync(bin);
  const manifest =
    'task_id: fix-login\ngoal: Find out why the login fails.\nstages:\n  - {tool: codex, role: review, access: read}\n';
  writeFileSync(path.join(project, '.tmp/task/fix-login/manifest.yaml'), manifest);
  execFileSync('git', ['init', '-q', project]);
  for (const [name, text] of [
    ['codex', CODEX],
    ['tollgate', `#!/bin/sh\nexec node '${TOLLGATE}' "$@"\n`],
  ]) {
    writeFileSync(path.join(bin, name), text);
    chmodSync(path.join(bin, name), 0o755);
  }
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    HOME: folder,
    CODEX_API_KEY: 'sk-test',
    TERM: 'xterm-256color',
  };
  for (const name of ['NO_COLOR', 'CI', 'XDG_STATE_HOME', 'TOLLGATE_STATE']) delete env[name];
  return STEPS.flatMap((step) => {
    if (step === SET_KEY) return [`\u001b[32m$ ${step}\u001b[39m`, ''];
    const command = `stty cols ${COLUMNS}; ${step}`;
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], { cwd: project, env, encoding: 'utf8' });
    const lines = stdout.trimEnd().split('\n').map(shown);
    return [
      `\u001b[32m$ ${step}\u001b[39m`,
      ...lines.flatMap((line) => wrapped(line.replaceAll(`${project}/`, ''))),
      '',
    ];
  });
}

/** A terminal breaks a long line anywhere; a picture is easier to read if it breaks between words. */
function wrapped(line) {
  if (line.includes('\u001b') || line.length <= COLUMNS) return [line];
  const at = line.lastIndexOf(' ', COLUMNS);
  return [line.slice(0, at), ...wrapped(`  ${line.slice(at + 1)}`)];
}

/** What remains of a line that was drawn again and again. */
const shown = (line) =>
  line
    .replace(/\r$/, '')
    .split(/\r|\u001b\[K/)
    .at(-1);

const COLOURS = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#79c0ff',
  90: '#8b949e',
};

/** @returns the parts of a line, each with its colour and weight. */
function partsOf(line) {
  const parts = [];
  let style = {};
  for (const piece of line.split(/(\u001b\[[\d;]*m)/)) {
    const codes = /^\u001b\[([\d;]*)m$/.exec(piece)?.[1];
    if (codes === undefined) {
      if (piece !== '') parts.push({ text: piece, ...style });
      continue;
    }
    for (const code of codes.split(';').map(Number)) {
      if (code === 0) style = {};
      else if (code === 1) style = { ...style, bold: true };
      else if (code === 2) style = { ...style, colour: COLOURS[90] };
      else if (code === 22) style = {};
      else if (code === 39) style = { ...style, colour: undefined };
      else if (COLOURS[code] !== undefined) style = { ...style, colour: COLOURS[code] };
    }
  }
  return parts;
}

function drawn(lines) {
  const [width, height] = [COLUMNS * 8.43 + 40, lines.length * 19 + 48];
  const rows = lines.map((line, at) => {
    const spans = partsOf(line).map(
      ({ text, colour, bold }) =>
        `<tspan${colour === undefined ? '' : ` fill="${colour}"`}${bold ? ' font-weight="bold"' : ''}>${escaped(text)}</tspan>`,
    );
    return `<text x="20" y="${48 + at * 19}" xml:space="preserve">${spans.join('')}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" fill="#c9d1d9" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<title>A run that fails since the key is rejected, what to do, and the run with a valid key</title>
<rect width="${width}" height="${height}" rx="8" fill="#161b22"/>
${rows.join('\n')}
</svg>
`;
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const root = mkdtempSync(path.join(tmpdir(), 'picture-'));
try {
  writeFileSync('docs/run.svg', drawn(record(root)));
} finally {
  rmSync(root, { recursive: true, force: true });
}
