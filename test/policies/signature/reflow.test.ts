// A text that was wrapped as a whole is read as it was before: at any width, in boxes, behind margins and loggers.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createErrorLines } from '../../../policies/signature/error-lines.ts';
import { signText } from '../../../policies/signature/sign.ts';

function select(text: string): string[] {
  const selected = createErrorLines();
  for (const line of text.split('\n')) selected.push(line);
  return selected.lines();
}

const TEXTS: Record<string, string> = {
  sentence:
    'Loading the settings of the workspace and the tools that it names\nThe deployment was refused because the certificate of the gateway has expired, and the registry that stands behind it does not answer any more for this account',
  crash: `Error while asking the service for the list of its models, the report is available at: /tmp/report-2026-11-21T20-16-49-127Z.json QuotaError: The allowance of this project was used up
    at classifyFailure (file:///usr/lib/node_modules/a-long-name/bundle/chunk-JDPZ4CE3.js:307344:16)
    at async retryWithBackoff (file:///usr/lib/node_modules/a-long-name/bundle/chunk-JDPZ4CE3.js:308062:29) {
  code: 429,
  status: 'RESOURCE_EXHAUSTED'
}`,
  json: `[API Error: {
  "error": {
    "code": 403,
    "message": "The caller has no permission to use this project, so ask its owner for the role that the documentation names",
    "status": "PERMISSION_DENIED"
  }
}]`,
  engine: `Reading additional input from stdin and from the files that were named on the command line
Error: the thread could not be started: required servers failed to initialize: dbx: No such file or directory (os error 2) (code -32603)`,
};

/** Words that find no room go to the next line. */
function wrapped(line: string, width: number, hanging = ''): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const first = rest.search(/\S/);
    const within = rest.lastIndexOf(' ', width);
    const space = within > first ? within : rest.indexOf(' ', Math.max(first, width));
    if (space === -1) break;
    lines.push(rest.slice(0, space));
    rest = hanging + rest.slice(space + 1);
  }
  return [...lines, rest];
}

const inWidth = (text: string, width: number, hanging = '') =>
  text.split('\n').flatMap((line) => wrapped(line, width, hanging));

const SHAPES: Record<string, (text: string, width: number) => string[]> = {
  plain: (text, width) => inWidth(text, width),
  'hanging indents': (text, width) => inWidth(text, width, '    '),
  'a quotation': (text, width) => inWidth(text, width).map((line) => `> ${line}`),
  'a bar': (text, width) => inWidth(text, width).map((line) => `┃ ${line}`),
  'a margin': (text, width) => inWidth(text, width).map((line) => `    ${line}`),
  'a box of ASCII': (text, width) => {
    const lines = inWidth(text, width);
    const most = Math.max(...lines.map(({ length }) => length));
    const rule = `+${'-'.repeat(most + 2)}+`;
    return [rule, ...lines.map((line) => `| ${line.padEnd(most)} |`), rule];
  },
};

for (const [name, text] of Object.entries(TEXTS))
  for (const [shape, shaped] of Object.entries(SHAPES))
    test(`${name} in ${shape}, 40 to 120 wide`, () => {
      const { normalised } = signText(null, text);
      for (const width of [40, 55, 64, 72, 80, 100, 120])
        assert.is(signText(null, shaped(text, width).join('\n')).normalised, normalised, `${width} wide`);
    });

test('what stands on its own is no rest of the line above, whatever the width', () => {
  const rows: string[][] = [
    ['npm notice New major version of it is available', 'spawn codex ENOENT: no such file or directory'],
    ['npm error code EACCES', 'npm error syscall mkdir', 'npm error path /usr/lib/x', 'npm error errno -13'],
    ['Error: cannot find the module that it needs', 'Require stack:', '- /home/jo/a.js'],
    ['Error: it failed in a way nobody knows', '  code: 1,', '  status: 2'],
  ];
  for (const lines of rows)
    for (const line of select(lines.join('\n'))) assert.ok(lines.includes(line), `${line}, of ${lines.join(' / ')}`);
});

test('the source that a crash echoes is not taken for a wrapped sentence', () => {
  const place = 'file:///usr/lib/node_modules/a/bundle/chunk-7QH3KX2P.js:48213';
  const echo = [place, '        throw new FatalError(describe(cause));', '        ^', '', 'Error: boom'];
  assert.equal(select(echo.join('\n')), ['Error: boom']);
});

test('a logger may log what another has logged, and what stands in a frame', () => {
  const signed = [
    'Error: the seventh star is missing',
    '2026-11-21T20:16:49Z [INFO] 2026-11-21 20:16:49,882 Error: the seventh star is missing',
    '[20:16:49] ERROR │ ✖ Error: the seventh star is missing   │',
    'Nov 21 20:16:49 info: [20:16:49] ERROR the seventh star is missing',
  ].map((text) => signText(null, text).normalised);
  assert.equal(signed, new Array(4).fill('the seventh star is missing'));
});

test('JSON of several lines is as bad as the worst level that a logger gives one of them', () => {
  const lines = ['INFO {', 'ERROR   "error": {"code": 429,', 'ERROR     "message": "slow down"}', 'INFO }'];
  const { normalised } = signText(null, lines.map((line) => `2026-11-21T20:16:49Z ${line}`).join('\n'));
  assert.is(normalised, 'code <code:429> message slow down');
});

test.run();
