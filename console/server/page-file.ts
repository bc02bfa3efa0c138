// Holds the built page, and the policy that allows only its own script and style by hash, so that no text becomes markup.

import { createHash } from 'node:crypto';

export interface PageFile {
  html: Buffer;
  /** The page's Content-Security-Policy. */
  policy: string;
}

export function pageFile(html: Buffer): PageFile {
  const text = html.toString('utf8');
  const hashes = (tag: 'script' | 'style') =>
    [...text.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))]
      .map(([, within]) => `'sha256-${createHash('sha256').update(within!).digest('base64')}'`)
      .join(' ');
  const policy = [
    "default-src 'none'",
    `script-src ${hashes('script') || "'none'"}`,
    `style-src ${hashes('style') || "'none'"}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  return { html, policy };
}
