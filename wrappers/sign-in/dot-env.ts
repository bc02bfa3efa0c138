// The variables of a .env file, as far as plain lines tell; none where there is no such file, or none that may be read.

import { readText } from './text-file.ts';

export function readDotEnvFile(file: string): Record<string, string | undefined> {
  const pairs = (readText(file) ?? '').matchAll(/^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*["']?([^"'\s]*)/gm);
  return Object.fromEntries([...pairs].map(([, name, value]) => [name, value]));
}
