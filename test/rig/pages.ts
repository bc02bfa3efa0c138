// Reads the documentation pages (README.md, ARCHITECTURE.md, docs/*.md), their marked tables and their shell blocks.

import { readdirSync, readFileSync } from 'node:fs';

export interface Block {
  /** `docs/ci.md:12`: the line of its fence. */
  at: string;
  page: string;
  text: string;
  /** The remark in the line above its fence, such as `not run: needs a real CLI`. */
  remark: string | null;
}

const NAMES = [
  'README.md',
  'ARCHITECTURE.md',
  ...readdirSync('docs').flatMap((n) => (n.endsWith('.md') ? `docs/${n}` : [])),
];

/** The text of each page by its path. */
export const PAGES: ReadonlyMap<string, string> = new Map(NAMES.map((name) => [name, readFileSync(name, 'utf8')]));

/** Returns the text between `<!-- name -->` and `<!-- /name -->` on any page; throws unless there is exactly one. */
export function marked(name: string): string {
  const found = [...PAGES].flatMap(([page, text]) =>
    text
      .split(`<!-- ${name} -->\n`)
      .slice(1)
      .map((after) => ({ page, between: after.split(`\n<!-- /${name} -->`) })),
  );
  const [only, ...others] = found;
  if (only === undefined) throw new Error(`no page has <!-- ${name} -->`);
  if (others.length > 0) throw new Error(`<!-- ${name} --> stands on ${found.map(({ page }) => page).join(' and ')}`);
  if (only.between.length < 2) throw new Error(`${only.page}: <!-- ${name} --> is not closed by <!-- /${name} -->`);
  return only.between[0] as string;
}

/** The blocks that begin with ```sh, in order. */
export function shellBlocks(page: string, text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let i = 0; i < lines.length; i += 1) {
    if (!/^```/.test(lines[i] as string)) continue;
    const from = i;
    do i += 1;
    while (i < lines.length && lines[i] !== '```');
    if (!/^```(?:sh|bash|shell|console)\b/.test(lines[from] as string)) continue;
    const remark = /^<!-- (.+) -->$/.exec(lines[from - 1] ?? '')?.[1] ?? null;
    blocks.push({ at: `${page}:${from + 1}`, page, text: lines.slice(from + 1, i).join('\n'), remark });
  }
  return blocks;
}
