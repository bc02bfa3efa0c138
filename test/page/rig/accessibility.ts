// What axe-core finds on a page that keeps somebody from using it.

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

interface AxeResults {
  violations: { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] }[];
}

/** A line for each violation that is at least moderate. It runs in the page by way of the debugger, which the page's policy does not bind. */
export async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"], rules: { "color-contrast": { enabled: true } } })',
  )) as AxeResults;
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .flatMap(({ id, impact, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${impact} ${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
    );
}
