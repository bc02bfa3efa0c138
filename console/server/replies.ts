// Sends the answers of the server (JSON, the page, a file to save, a refusal), each with the same protective headers.

import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { markupText } from '../../policies/report/inert-text.ts';
import type { RefusedRequest } from '../contract/page.ts';

/** On every answer: it is not cached, not framed, and its type is not guessed. */
const WALLS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

const NOTHING_RUNS = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox";

interface SentHead {
  status: number;
  type: string;
  policy?: string;
  more?: Record<string, string>;
}

export function sendHead(response: ServerResponse, { status, type, policy = NOTHING_RUNS, more = {} }: SentHead): void {
  response.writeHead(status, { ...WALLS, 'content-security-policy': policy, 'content-type': type, ...more });
}

export function sendJson(response: ServerResponse, status: number, value: object): void {
  const body = Buffer.from(JSON.stringify(value));
  const more = { 'content-length': String(body.length) };
  sendHead(response, { status, type: 'application/json; charset=utf-8', more });
  response.end(body);
}

/** Closes the connection, so that no more is read. An opened address gets a page; all other clients get JSON. */
export function sendRefusal(
  response: ServerResponse,
  status: number,
  refused: RefusedRequest,
  more: Record<string, string> = {},
): void {
  const isRead = response.req.headers.accept?.includes('text/html') ?? false;
  const body = Buffer.from(isRead ? refusalPage(refused) : JSON.stringify({ way_out: null, ...refused }));
  const head = { 'content-length': String(body.length), connection: 'close', ...more };
  sendHead(response, { status, type: `${isRead ? 'text/html' : 'application/json'}; charset=utf-8`, more: head });
  response.end(body);
}

const refusalPage = ({ message, way_out }: RefusedRequest): string =>
  [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">',
    '<title>Refused · Tollgate</title><main><h1>The console refused this request</h1>',
    `<p>What happened: ${markupText(message)}.</p>`,
    `<p>What to do: ${markupText(way_out ?? 'open the first page of the console')}.</p></main></html>`,
  ].join('\n');

export function sendPage(response: ServerResponse, html: Buffer, policy: string): void {
  const more = { 'content-length': String(html.length) };
  sendHead(response, { status: 200, type: 'text/html; charset=utf-8', policy, more });
  response.end(html);
}

/** As plain text: the page reads it, and no address of the console is a script. */
export function sendText(response: ServerResponse, text: Buffer): void {
  sendHead(response, {
    status: 200,
    type: 'text/plain; charset=utf-8',
    more: { 'content-length': String(text.length) },
  });
  response.end(text);
}

/** The browser saves the file and does not show it: a model's text must not become a page of the console. */
export function sendFile(response: ServerResponse, name: string, bytes: Buffer): void {
  const more = {
    'content-length': String(bytes.length),
    'content-disposition': `attachment; filename="${name.replace(/[^A-Za-z0-9._-]/g, '_')}"`,
  };
  sendHead(response, { status: 200, type: 'application/octet-stream', more });
  response.end(bytes);
}

/** The built page, and the policy that allows only its own scripts and style by hash, so that no text becomes markup. */
interface PageFile {
  html: Buffer;
  /** What the page loads when it is needed, by file name. */
  late: Readonly<Record<LateScript, Buffer>>;
  /** The page's Content-Security-Policy. */
  policy: string;
}

/** The editor of manifests, and the colours of code. */
type LateScript = 'editor.js' | 'colours.js';

export const isLateScript = (name: string): name is LateScript => name === 'editor.js' || name === 'colours.js';

export function pageFile(html: Buffer, late: PageFile['late']): PageFile {
  const text = html.toString('utf8');
  const hashes = (tag: 'script' | 'style') =>
    [...text.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, within]) => hashOf(within!)).join(' ');
  const policy = [
    "default-src 'none'",
    `script-src ${hashes('script')} ${Object.values(late).map(hashOf).join(' ')}`,
    `style-src ${hashes('style') || "'none'"}`,
    // The icon of the window, which the page draws itself.
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // Only the loader of these makes a script of a text.
    'trusted-types late-script',
  ].join('; ');
  return { html, late, policy };
}

const hashOf = (text: string | Buffer): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
