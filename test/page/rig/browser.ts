// A Chromium without a head, on the loopback alone, with what a page in it says and asks for.

import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

export const CHROMIUM = '/usr/bin/chromium';
export const hasChromium = (): boolean => existsSync(CHROMIUM);

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--js-flags=--expose-gc',
];

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** What the page said on its console as a warning or an error, refused policies among it, and what it threw. */
  complaints: string[];
  /** The addresses that it asked for. */
  asked: string[];
  /** Dialogs of the browser's own, which no text may open. */
  dialogs: string[];
  close(): Promise<void>;
}

export interface Look {
  width?: number;
  height?: number;
  scheme?: 'light' | 'dark';
  motion?: 'reduce' | 'no-preference';
  /** Done to it before it goes anywhere. */
  before?: (context: BrowserContext) => Promise<void>;
}

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: ARGS,
    env: { ...process.env, HOME: process.env.TMPDIR ?? '/tmp' },
  });

/** A browser's window of its own, without cookies. */
export async function visit(browser: Browser, address: string, look: Look = {}): Promise<Visit> {
  const { width = 1280, height = 800, scheme = 'light', motion = 'reduce' } = look;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: motion,
    locale: 'en-GB',
    timezoneId: 'UTC',
    acceptDownloads: true,
  });
  context.setDefaultTimeout(60_000);
  await look.before?.(context);
  const page = await context.newPage();
  const complaints: string[] = [];
  const asked: string[] = [];
  const dialogs: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.stack ?? error.message}`));
  page.on('request', (request) => asked.push(request.url()));
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto(address);
  return { page, context, complaints, asked, dialogs, close: () => context.close() };
}
