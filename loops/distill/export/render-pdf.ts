// A distilled book as a PDF. Laying one out takes a second and 120 MiB, so only a command of its own loads this, never the loop that asks.

import path from 'node:path';
import { create, type Font } from 'fontkit';
import pdfmake from 'pdfmake';
import roboto from 'pdfmake/build/vfs_fonts.js';
import { createTypesetter, type FontCoverage } from '../../../policies/distill/export/font-runs.ts';
import { pdfDocument } from '../../../policies/distill/export/pdf-document.ts';
import type { DistilledBook } from '../../../policies/distill/section.ts';
import { readFollowedBytes } from '../../../state/disk/regular-file.ts';

type Rendered =
  | { how: 'rendered'; bytes: Buffer; note: string | null }
  /** `why`: a sentence without the name of the book. */
  | { how: 'refused'; why: string };

/** @param fonts files that a person names, asked for what Roboto lacks, in their order. */
export async function renderPdf(distilled: DistilledBook, fonts: readonly string[]): Promise<Rendered> {
  const given: GivenFont[] = [];
  for (const file of fonts) {
    const font = readFont(file);
    if (font.how === 'refused') return font;
    given.push(font);
  }
  const typesetter = createTypesetter([ROBOTO, ...given]);
  const document = pdfDocument(distilled, typesetter);
  const [lost] = typesetter.lost();
  if (lost !== undefined) return { how: 'refused', why: `${lost}; Markdown and text need no font` };
  return { how: 'rendered', bytes: await print(document, given), note: typesetter.replaced() };
}

async function print(document: object, given: readonly GivenFont[]): Promise<Buffer> {
  for (const [name, base64] of Object.entries(roboto))
    pdfmake.virtualfs.writeFileSync(name, Buffer.from(base64, 'base64'));
  for (const { name, bytes } of given) pdfmake.virtualfs.writeFileSync(name, bytes);
  const own = given.map(({ name, postscript }) => [name, faces(postscript === null ? name : [name, postscript])]);
  pdfmake.setFonts({ Roboto: ROBOTO_FACES, ...Object.fromEntries(own) });
  // Texts of a model are never obeyed: nothing is fetched for them, and nothing is read.
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy(() => false);
  return pdfmake.createPdf(document).getBuffer();
}

const ROBOTO_FACES = {
  normal: 'Roboto-Regular.ttf',
  bold: 'Roboto-Medium.ttf',
  italics: 'Roboto-Italic.ttf',
  bolditalics: 'Roboto-MediumItalic.ttf',
};

const faces = (file: string | [string, string]) => ({ normal: file, bold: file, italics: file, bolditalics: file });

const robotoFont = create(Buffer.from(roboto[ROBOTO_FACES.normal]!, 'base64')) as Font;

const ROBOTO: FontCoverage = { name: 'Roboto', has: (codePoint) => robotoFont.hasGlyphForCodePoint(codePoint) };

interface GivenFont extends FontCoverage {
  how: 'read';
  bytes: Buffer;
  /** Of a collection the face that is used; null of a file with one. */
  postscript: string | null;
}

/** Collections of Chinese, Japanese and Korean have 20 MB and more. */
const MAX_FONT_BYTES = 64 * 1024 * 1024;

function readFont(file: string): GivenFont | { how: 'refused'; why: string } {
  try {
    const bytes = readFollowedBytes(file, MAX_FONT_BYTES);
    const found = create(bytes);
    const font = 'fonts' in found ? found.fonts[0]! : found;
    const postscript = 'fonts' in found ? font.postscriptName : null;
    return {
      how: 'read',
      name: path.basename(file),
      bytes,
      postscript,
      has: (codePoint) => font.hasGlyphForCodePoint(codePoint),
    };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT' ? 'is not there' : `is no font that can be read (${code ?? message}): TrueType or OpenType`;
    return { how: 'refused', why: `--font: ${file} ${why}` };
  }
}
