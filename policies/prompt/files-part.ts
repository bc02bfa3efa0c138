// Lists files that are named, not quoted. The CLI can open them, as far as its permissions allow.

import { instruction, type PromptPart } from './part.ts';
import type { Attachment } from './source.ts';

/** The limit of the whole list; files beyond it are only counted. */
const FILES_CHARS = 4000;

/** `others` are paths of files that are not attachments; null entries are skipped. */
export function filesPart(
  attachments: readonly Attachment[],
  others: readonly (string | null | undefined)[] = [],
): PromptPart {
  const lines = [
    ...others.filter((path) => typeof path === 'string').map((path) => `- ${path}`),
    ...attachments.map(fileLine),
  ];
  let shown = '';
  let count = 0;
  while (count < lines.length && shown.length + lines[count]!.length < FILES_CHARS) shown += `${lines[count++]}\n`;
  const more = lines.length - count;
  return instruction('files', 'Files to read', more === 0 ? shown : `${shown}- ... and ${more} more\n`);
}

function fileLine({ name, path, bytes, holds }: Attachment): string {
  if (holds.how === 'forbidden') return `- ${name}: [forbidden by ${holds.glob}: leave it alone]`;
  return holds.how === 'binary' ? `- ${path} (binary, ${bytes} bytes)` : `- ${path} (${bytes} bytes)`;
}
