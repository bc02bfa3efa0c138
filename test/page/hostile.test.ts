// Two hundred hostile texts in every field of every view: each stays text, and nothing comes of it.

import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite } from './rig/page-suite.ts';
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
  'main :is(script, style, iframe, img, object, embed, video, audio, link, meta, base, template, marquee, math, frame, applet, [style^="position"], [onclick], [onerror], [onload], [onfocus], [ontoggle], [srcdoc])';

hostile.test('there are two hundred', async () => {
  assert.is(HOSTILE.length, 200);
  assert.is(new Set(HOSTILE).size, 200);
});

for (let from = 0; from < HOSTILE.length; from += 25)
  hostile.test(`texts ${from + 1} to ${from + 25} in all fields`, async (shown) => {
    const { page, server, go, complaints, asked, dialogs } = shown;
    for (const text of HOSTILE.slice(from, from + 25)) {
      Object.assign(
        server.told,
        toldWorld(() => text),
      );
      server.tell({ topic: '*' });
      // One place after another, each with another text, so that all of them meet many.
      for (const place of placesFor(HOSTILE.indexOf(text))) {
        await go(place);
        const found = await lookFor(page);
        assert.equal(found, NOTHING, `${place}: ${JSON.stringify(text.slice(0, 80))}`);
      }
    }
    assert.equal([complaints, dialogs], [[], []]);
    assert.equal(
      asked.filter((address) => !address.startsWith(server.url)),
      [],
    );
  });

const NOTHING = { fired: 0, strays: [], addresses: [], dialogs: 0, wide: 0, rail: 12 };

const lookFor = (page: Page) =>
  page.evaluate((strays) => {
    const addresses = [...document.querySelectorAll('a')].map((link) => link.getAttribute('href') ?? '');
    return {
      fired: (window as unknown as { __fired?: number }).__fired ?? 0,
      strays: [...document.querySelectorAll(strays)].map((at) => at.outerHTML.slice(0, 120)),
      addresses: addresses.filter((address) => !/^(?:#\/|\/api\/distill\/)/.test(address)),
      dialogs: document.querySelectorAll('dialog').length,
      wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      rail: document.querySelectorAll('.views a').length,
    };
  }, STRAYS);

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

/** A quarter of them, turn about; all of them after four texts. */
const placesFor = (nth: number): string[] => PLACES.filter((_, at) => at % 4 === nth % 4);

hostile.test('what a check found in a draft is text', async ({ page, server, go, complaints, dialogs }) => {
  await go('new');
  await page.getByLabel('Goal', { exact: true }).fill('Repair the login.');
  await page.getByRole('button', { name: 'Add a stage' }).click();
  for (const [nth, text] of PLAIN.entries()) {
    const problems = [{ line: nth, message: `${nth} ${text}` }];
    server.told['/api/draft'] =
      nth % 2 === 0 ? { ...toldDraft(() => `${nth} ${text}`) } : { ...toldDraft(String), problems };
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText(nth % 2 === 0 ? `, then ${nth} ` : `Line ${nth}: `).waitFor();
    assert.equal(await lookFor(page), NOTHING, JSON.stringify(text.slice(0, 80)));
  }
  assert.equal([complaints, dialogs], [[], []]);
});

/** What the editor itself is not made of. */
const MADE_OF_TEXT =
  ':is(script, iframe, object, embed, video, audio, link, meta, base, template, marquee, math, svg, form, a, b, details, [onclick], [onerror], [onload], [onfocus], [srcdoc])';

hostile.test('a hostile manifest is text in the editor, and so are its help and its mistakes', async (shown) => {
  const { page, server, go, complaints, dialogs } = shown;
  for (const text of PLAIN.filter((_, nth) => nth % 5 === 0)) {
    Object.assign(
      server.told,
      toldWorld(() => text),
    );
    await go('now');
    await go('tasks/price-rounding/manifest');
    const editor = page.getByRole('textbox', { name: 'Manifest' });
    await editor.getByText('goal').first().hover();
    await editor.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('g');
    await page.getByRole('option', { name: 'goal' }).waitFor();
    const strays = await page.evaluate((selector) => {
      const { shadowRoot } = document.querySelector('.manifest-editor')!;
      return [...shadowRoot!.querySelectorAll(selector)].map((at) => at.outerHTML.slice(0, 120));
    }, MADE_OF_TEXT);
    assert.equal([strays, await lookFor(page)], [[], NOTHING], JSON.stringify(text.slice(0, 80)));
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
