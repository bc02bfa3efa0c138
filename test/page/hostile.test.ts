// Two hundred hostile texts in every field of every view: each stays text, and nothing comes of it.

import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { TailTold } from '../../console/contract/task.ts';
import { pageSuite } from './rig/page-suite.ts';
import { BATCH, TASK, type Texts } from './rig/told-names.ts';
import { PLACES, toldDraft, toldWorld } from './rig/told-world.ts';

const FIRES = 'window.__fired=(window.__fired||0)+1';

/** Each would do something, or look like something else, if it were anything but text. */
const MARKUP = [
  `<script>${FIRES}</script>`,
  `</script><script>${FIRES}</script>`,
  `</style><script>${FIRES}</script>`,
  `<img src=x onerror="${FIRES}">`,
  `<svg onload="${FIRES}">`,
  `<svg><script>${FIRES}</script></svg>`,
  `<iframe src="javascript:${FIRES}"></iframe>`,
  `<iframe srcdoc="<script>parent.${FIRES}</script>"></iframe>`,
  `<a href="javascript:${FIRES}">press</a>`,
  `<form action="https://evil.example/"><input name=a autofocus onfocus="${FIRES}"></form>`,
  `<body onload="${FIRES}">`,
  `<style>*{display:none}</style>`,
  `<link rel=stylesheet href="https://evil.example/a.css">`,
  `<meta http-equiv=refresh content="0;url=https://evil.example/">`,
  `<base href="https://evil.example/">`,
  `<object data="https://evil.example/a"></object>`,
  `<embed src="https://evil.example/a">`,
  `<video><source onerror="${FIRES}"></video>`,
  `<details open ontoggle="${FIRES}">`,
  `<marquee onstart="${FIRES}">`,
  `<math><mi//xlink:href="data:x,<script>${FIRES}</script>">`,
  `<template><script>${FIRES}</script></template>`,
  `<dialog open>Your session has ended. Sign in again.</dialog>`,
  `"><img src=x onerror=${FIRES}>`,
  `' onmouseover='${FIRES}' x='`,
  `" autofocus onfocus="${FIRES}`,
  `<!--<script>${FIRES}//-->`,
  `<![CDATA[<script>${FIRES}</script>]]>`,
  `<scr<script>ipt>${FIRES}</script>`,
  `\\u003cscript\\u003e${FIRES}\\u003c/script\\u003e`,
  `&lt;script&gt;${FIRES}&lt;/script&gt;`,
  `<script src="//evil.example/x.js"></script>`,
];
const MARKDOWN = [
  `[press](javascript:${FIRES})`,
  `[press](JaVaScRiPt:${FIRES})`,
  `[press](data:text/html,<script>${FIRES}</script>)`,
  `[press](vbscript:msgbox)`,
  `![x](https://evil.example/pixel.png)`,
  `![x](x"onerror="${FIRES})`,
  `<javascript:${FIRES}>`,
  `[a]: javascript:${FIRES}\n\n[a]`,
  `# <img src=x onerror="${FIRES}">`,
  `| a |\n|---|\n| <img src=x onerror="${FIRES}"> |`,
  `- [x] <script>${FIRES}</script>`,
  `\`\`\`html\n<script>${FIRES}</script>\n\`\`\``,
  `<div style="position:fixed;inset:0">all of it</div>`,
  `https://evil.example/?q=<script>`,
  `[https://tollgate.example](https://evil.example)`,
  `${'*'.repeat(3000)}a${'*'.repeat(3000)}`,
  `${'['.repeat(2000)}a${']'.repeat(2000)}`,
  `${'> '.repeat(400)}deep`,
  `${'- '.repeat(300)}deep`,
];
const SIGNS = [
  '\u001b[2J\u001b[31mred\u001b[0m',
  '\u001b]8;;https://evil.example\u0007press\u001b]8;;\u0007',
  '\u001b]0;title\u0007',
  '\u0000\u0001\u0002\u007f',
  '\u009b31m',
  'annexe\u202Etxt.exe',
  '\u2066\u2067\u2068 turned \u2069',
  '\u202Aa\u202Bb\u202Dc\u202Ed',
  'pay\u200Bpal\u200Dcom\uFEFF',
  '\u{e0041}\u{e0042}tags',
  'a\r\nb\rc',
  'line\u2028separator\u2029paragraph',
  `z${'\u0335\u0336\u0337'.repeat(300)}algo`,
  '\ud800half',
  '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ﷽ ﷽ ﷽',
  'مرحبا بالعالم <b>ب</b>',
  '\u3164\u115f\u1160',
];
const CODES = [
  '__proto__',
  'constructor',
  '{{7*7}}',
  `\${7*7}`,
  '<%= 7*7 %>',
  "'; DROP TABLE tasks; --",
  '../../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  '#/machine',
  '?state=done&q=',
  'data:text/html;base64,PHNjcmlwdD4=',
  'null',
  'undefined',
  'NaN',
  '-1',
  '',
  ' ',
  'A'.repeat(200_000),
  'word '.repeat(20_000),
  '\n'.repeat(5_000),
  `<b>${'x'.repeat(50_000)}</b>`,
  '＜script＞alert(1)＜/script＞',
];

/** The same in other wrappings, up to two hundred. */
const WRAPPINGS: readonly ((text: string) => string)[] = [
  (text) => `before ${text} after`,
  (text) => `"${text}"`,
  (text) => text.toUpperCase(),
  (text) => `${text}\u0000${text}`,
];
const PLAIN = [...MARKUP, ...MARKDOWN, ...SIGNS, ...CODES];
const HOSTILE = [...PLAIN, ...WRAPPINGS.flatMap((wrap) => [...MARKUP, ...SIGNS].map(wrap))].slice(0, 200);

const hostile = pageSuite('hostile texts');

/** What a page of ours is made of, and nothing else. */
const STRAYS =
  ':is(main, dialog) :is(script, style, iframe, img, object, embed, video, audio, link, meta, base, template, marquee, math, frame, applet, [style^="position"], [onclick], [onerror], [onload], [onfocus], [ontoggle], [srcdoc])';

hostile.test('there are two hundred', async () => {
  assert.is(HOSTILE.length, 200);
  assert.is(new Set(HOSTILE).size, 200);
});

const BELOW = `/api/tasks/${TASK}`;
const RUNNING = 'flaky-checkout';
const LOG = `tasks/${RUNNING}`;
const PALETTE = 'palette';
const LISTS: readonly [address: string, list: string, id?: string][] = [
  ['/api/tasks', 'tasks', 'task_id'],
  ['/api/sessions', 'sessions', 'session_id'],
  ['/api/supervise', 'supervisions', 'task_id'],
  ['/api/compare', 'comparisons', 'comparison_id'],
  ['/api/batch', 'batches', 'batch_id'],
  [`/api/batch/${BATCH}`, 'tasks', 'task_id'],
  ['/api/distill', 'distillations', 'name'],
  ['/api/budgets', 'holds', 'account'],
  ['/api/choices', 'pipelines'],
  ['/api/machine', 'findings'],
  ['/api/manifest/check', 'problems'],
];
type World = Record<string, Record<string, unknown>>;

/** Its lists, its diff, its manifest and its log are long, so that one visit shows many texts. */
function longWorld(text: Texts): World {
  const rows = Array.from({ length: 20 }, (_, row) => toldWorld((field) => text(`${field} ${row}`)) as World);
  const world = toldWorld(text) as World;
  for (const [address, list, id] of LISTS)
    world[address]![list] = rows.flatMap((one, row) =>
      (one[address]![list] as Record<string, unknown>[]).map((each) =>
        id === undefined ? each : { ...each, [id]: `${each[id]}-${row}` },
      ),
    );
  for (const address of [`${BELOW}/diff/codex_impl`, `${BELOW}/manifest`])
    world[address]!.text = rows.map((one) => one[address]!.text).join('');
  world[`/api/tasks/${RUNNING}`] = { ...world[BELOW], task_id: RUNNING, state: 'running' };
  return world;
}

const logOf = (text: Texts): TailTold[] => [
  { of: 'call', call_id: 'call-9', stage: text('stage of the log'), tool: 'codex', attempt: 2 },
  {
    ...{ of: 'lines', lines: Array.from({ length: 20 }, (_, line) => text(`line ${line}`)), doing: text('doing') },
    ...{ at: null, left_out: 0, began_again: false },
  },
  { of: 'note', text: text('note of the log') },
];

hostile.test('each text is text in each place', async ({ page, server, go, complaints, asked, dialogs }) => {
  const visit = async (place: string, text: Texts, look: () => Promise<void>) => {
    Object.assign(server.told, longWorld(text), { [`/api/tasks/${RUNNING}/tail`]: logOf(text) });
    // The page reads the list of tasks once for all its views.
    const listed = page.waitForResponse((answer) => answer.url().endsWith('/api/tasks'));
    server.tell({ topic: '*' });
    await listed;
    await go(place === PALETTE ? 'machine' : place);
    if (place === LOG) await page.locator('.tail-box p').first().waitFor();
    if (place !== PALETTE) return look();
    await page.keyboard.press('Control+k');
    for (const kind of ['task', 'session', 'failure']) {
      await page.getByLabel('Find a view').fill(kind);
      await page
        .getByRole('option')
        .filter({ hasText: new RegExp(`^${kind}`) })
        .first()
        .waitFor();
      await look();
    }
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  };
  const visits: { place: string; texts: Map<string, string>; nth: number }[] = [];
  for (const place of [...PLACES, LOG, PALETTE]) {
    const names: string[] = [];
    const nameOf = (field: string) => `Q${names.includes(field) ? names.indexOf(field) : names.push(field) - 1}Q`;
    const drawn = new Set<string>();
    await visit(place, nameOf, async () => {
      const markup = await page.evaluate(() => {
        const editor = document.querySelector('.manifest-editor')?.shadowRoot?.innerHTML;
        return `${document.documentElement.outerHTML} ${editor}`;
      });
      for (const field of names) if (markup.includes(nameOf(field))) drawn.add(field);
    });
    assert.ok(drawn.size > 0, place);
    // Each visit shows the next texts, one in each field of the place, until all were there.
    for (let nth = 0; nth * drawn.size < HOSTILE.length; nth += 1) {
      const textAt = (at: number) => HOSTILE[(nth * drawn.size + at) % HOSTILE.length]!;
      visits.push({ place, nth, texts: new Map([...drawn].map((field, at) => [field, textAt(at)])) });
    }
  }
  // A place that is entered from another one is drawn again.
  for (const { place, texts } of visits.sort((a, b) => a.nth - b.nth))
    await visit(
      place,
      (field) => texts.get(field) ?? field,
      async () => {
        const what = [...texts].map(([field, text]) => [field, text.slice(0, 80)]);
        const expected = { ...NOTHING, dialogs: place === PALETTE ? 1 : 0 };
        assert.equal(await lookFor(page), expected, `${place}: ${JSON.stringify(what)}`);
      },
    );
  assert.equal([complaints, dialogs], [[], []]);
  assert.equal(
    asked.filter((address) => !address.startsWith(server.url)),
    [],
  );
});

/** What the editor itself is not made of. */
const MADE_OF_TEXT =
  ':is(script, iframe, object, embed, video, audio, link, meta, base, template, marquee, math, svg, form, a, b, details, [onclick], [onerror], [onload], [onfocus], [srcdoc])';

const NOTHING = { fired: 0, strays: [], addresses: [], dialogs: 0, wide: 0, rail: 11 };

const lookFor = (page: Page) =>
  page.evaluate(
    ([strays, madeOfText]) => {
      const addresses = [...document.querySelectorAll('a')].map((link) => link.getAttribute('href') ?? '');
      return {
        fired: (window as unknown as { __fired?: number }).__fired ?? 0,
        strays: [
          ...document.querySelectorAll(strays!),
          ...(document.querySelector('.manifest-editor')?.shadowRoot?.querySelectorAll(madeOfText!) ?? []),
        ].map((at) => at.outerHTML.slice(0, 120)),
        addresses: addresses.filter((address) => !/^(?:#\/|\/api\/distill\/)/.test(address)),
        dialogs: document.querySelectorAll('dialog').length,
        wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        rail: document.querySelectorAll('.views a').length,
      };
    },
    [STRAYS, MADE_OF_TEXT],
  );

hostile.test('what came of a text would be found, and the policy of the page would hold it', async (shown) => {
  const { page, complaints } = shown;
  await page.evaluate(() => {
    const main = document.querySelector('main')!;
    const link = document.createElement('a');
    link.href = 'javascript:0';
    const image = document.createElement('img');
    image.src = 'https://evil.example/pixel.png';
    main.append(link, image);
  });
  const { strays, addresses } = await lookFor(page);
  assert.equal([strays.length, addresses], [1, ['javascript:0']]);
  await page.waitForFunction(() => document.querySelector('img')!.complete);
  assert.ok(complaints.some((complaint) => complaint.includes('Content Security Policy')));
});

hostile.test('what a check found in a draft is text', async ({ page, server, go, complaints, dialogs }) => {
  await go('new');
  await page.getByLabel('Goal', { exact: true }).fill('Repair the login.');
  const stages = HOSTILE.flatMap(
    (text, nth) => toldDraft((field) => `${field === 'stage' ? nth : ''}${text}`).forecast!.stages,
  );
  for (const shown of [
    { ...toldDraft(String), problems: HOSTILE.map((message, line) => ({ line, message })) },
    {
      ...toldDraft(String),
      forecast: { stages, budget: { used: 0, total: 10 } },
      notes: [...HOSTILE, 'The last note.'],
    },
  ]) {
    server.told['/api/draft'] = shown;
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText(shown.problems.length > 0 ? 'Line 199: ' : 'The last note.').waitFor();
    assert.equal(await lookFor(page), NOTHING);
  }
  assert.equal([complaints, dialogs], [[], []]);
});

hostile.test('the help of the editor is text', async ({ page, server, go, complaints, dialogs }) => {
  const properties = Object.fromEntries(
    PLAIN.map((text, nth) => [`g${nth + 100}`, { type: 'string', description: `${text} (${nth})` }]),
  );
  server.told['/api/schema'] = { properties };
  server.told[`${BELOW}/manifest`] = { name: 'manifest.yaml', text: 'g100: x\n', version: '1', locked: null };
  await go(`tasks/${TASK}/manifest`);
  const editor = page.getByRole('textbox', { name: 'Manifest' });
  await editor.getByText('g100').hover();
  await page.locator('.cm-tooltip-hover', { hasText: '(0)' }).waitFor();
  assert.equal(await lookFor(page), NOTHING);
  await editor.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('g');
  for (const [nth, text] of PLAIN.entries()) {
    if (nth > 0) await page.keyboard.press('ArrowDown');
    await page.locator('.cm-completionInfo', { hasText: `(${nth})` }).waitFor();
    assert.equal(await lookFor(page), NOTHING, JSON.stringify(text.slice(0, 80)));
  }
  assert.equal([complaints, dialogs], [[], []]);
});

hostile.test('hidden signs are shown by name, and what turns a text about does not', async ({ page, server, go }) => {
  const text = 'annexe\u202Etxt.exe \u001b[31m \u200b';
  Object.assign(
    server.told,
    toldWorld(() => text),
  );
  server.tell({ topic: '*' });
  await go('supervise');
  const said = page.getByLabel('What invoice-dates asks');
  await said.waitFor();
  assert.is(await said.innerText(), 'annexeU+202Etxt.exe ␛[31m U+200B');
});

hostile.test('a link of a model says where it leads, and leads nowhere', async ({ page, server, go }) => {
  Object.assign(
    server.told,
    toldWorld(() => '[the docs](https://evil.example/a) and <https://b.example>'),
  );
  server.tell({ topic: '*' });
  await go('tasks/price-rounding/raw');
  const summary = page.locator('.prose');
  await summary.waitFor();
  assert.is(await summary.innerText(), 'the docs (https://evil.example/a) and https://b.example');
  assert.is(await summary.locator('a').count(), 0);
});

hostile.test('a text of a megabyte is cut until somebody asks for all of it', async ({ page, server, go }) => {
  const text = 'line of a log\n'.repeat(75_000);
  Object.assign(
    server.told,
    toldWorld(() => text),
  );
  server.tell({ topic: '*' });
  await go('supervise');
  const more = page.getByRole('button', { name: /Show all 1,050,000 characters/ }).first();
  await more.waitFor();
  const shown = await page.getByLabel('What invoice-dates asks').evaluate((at) => at.textContent!.length);
  assert.is(shown, 20_000);
});

hostile.test('the browser itself refuses to make a text markup', async ({ page }) => {
  const refused = await page.evaluate(() => {
    const at = document.createElement('div');
    try {
      at.innerHTML = '<b>bold</b>';
    } catch (failure) {
      return { name: (failure as Error).name, children: at.childElementCount };
    }
    return null;
  });
  assert.equal(refused, { name: 'TypeError', children: 0 });
});

hostile.run();
