// The pages hang together: the README is short, and each link between pages, and into one, has a target.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGES } from '../rig/pages.ts';

test('the README has 110 lines at most', () => {
  const lines = PAGES.get('README.md')!.split('\n').length - 1;
  assert.ok(lines <= 110, `${lines} lines: a topic of its own is a page in docs/`);
});

test('its first 60 lines make a call, run a task, and explain a failure', () => {
  const start = PAGES.get('README.md')!.split('\n').slice(0, 60);
  for (const command of ['tollgate trust', 'tollgate call', 'tollgate init', 'tollgate run', 'tollgate explain'])
    assert.ok(
      start.some((line) => line.startsWith(command)),
      command,
    );
});

for (const [page, text] of PAGES)
  test(`the links of ${page}`, () => {
    const dead = linksOf(text).filter((link) => !leadsSomewhere(page, link));
    assert.equal(dead, []);
  });

test('docs/README.md lists every page, and the README leads to it', () => {
  const listed = linksOf(PAGES.get('docs/README.md')!).map((link) => path.join('docs', link));
  const pages = [...PAGES.keys()].filter((page) => !page.endsWith('README.md'));
  assert.equal(
    pages.filter((page) => !listed.includes(page)),
    [],
  );
  assert.ok(linksOf(PAGES.get('README.md')!).includes('docs/README.md'));
});

/** Targets of links and pictures, those on the web apart. */
function linksOf(text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target as string)
    .filter((target) => !/^https?:/.test(target));
}

function leadsSomewhere(page: string, link: string): boolean {
  const [target = '', anchor] = link.split('#');
  const file = target === '' ? page : path.join(path.dirname(page), target);
  if (anchor === undefined) return existsSync(file);
  return PAGES.has(file) && anchorsOf(PAGES.get(file)!).includes(anchor);
}

/** Anchors as GitHub makes them of headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.run();
