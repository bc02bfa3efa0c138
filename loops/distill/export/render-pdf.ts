// Renders a distilled book as a PDF; this takes a second and 120 MiB, so only a separate command loads it, never the loop.

import path from 'node:path';
import monoBase64 from 'dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf';
import { create, type Font } from 'fontkit';
import pdfmake from 'pdfmake';
import roboto from 'pdfmake/build/vfs_fonts.js';
import type { DistilledBook } from '../../../policies/distill/export/distilled-book.ts';
import { createTypesetter, type FontCoverage } from '../../../policies/distill/export/font-runs.ts';
import { pdfDocument } from '../../../policies/distill/export/pdf-document.ts';
import { readFollowedBytes } from '../../../state/disk/regular-file.ts';

export type Rendered =
  | { how: 'done'; bytes: Uint8Array; notes: string[] }
  /** `why`: a sentence without the name of the book. */
  | { how: 'refused'; why: string };

/** @param fonts font files that the user names, in order, for characters that Roboto lacks. */
export async function renderPdf(distilled: DistilledBook, fonts: readonly string[]): Promise<Rendered> {
  const given: GivenFont[] = [];
  for (const file of fonts) {
    const font = readFont(file);
    if (font.how === 'refused') return font;
    given.push(font);
  }
  const typesetter = createTypesetter([ROBOTO, ...given, MONO]);
  const document = pdfDocument(distilled, typesetter);
  return { how: 'done', bytes: await print(document, given), notes: typesetter.notes() };
}

async function print(document: object, given: readonly GivenFont[]): Promise<Buffer> {
  for (const [name, base64] of Object.entries(roboto))
    pdfmake.virtualfs.writeFileSync(name, Buffer.from(base64, 'base64'));
  pdfmake.virtualfs.writeFileSync(MONO.name, mono);
  for (const { name, bytes } of given) pdfmake.virtualfs.writeFileSync(name, bytes);
  const own = given.map(({ name, postscript }) => [name, faces(postscript === null ? name : [name, postscript])]);
  pdfmake.setFonts({ Roboto: ROBOTO_FACES, [MONO.name]: faces(MONO.name), ...Object.fromEntries(own) });
  // A model's text must have no effects: nothing is downloaded or read for it.
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

const coverageOf = (name: string, font: Font): FontCoverage => ({
  name,
  has: (codePoint) => font.hasGlyphForCodePoint(codePoint),
});

const ROBOTO = coverageOf('Roboto', create(Buffer.from(roboto[ROBOTO_FACES.normal]!, 'base64')) as Font);

const mono = Buffer.from(monoBase64, 'base64');

/** For code, and for the arrows, boxes and check marks that Roboto lacks. */
const MONO = coverageOf('DejaVu Sans Mono', create(mono) as Font);

interface GivenFont extends FontCoverage {
  how: 'read';
  bytes: Buffer;
  /** The face that is used of a collection; null for a file with one face. */
  postscript: string | null;
}

/** Collections of Chinese, Japanese and Korean fonts have 20 MB and more. */
const MAX_FONT_BYTES = 64 * 1024 * 1024;

function readFont(file: string): GivenFont | { how: 'refused'; why: string } {
  try {
    const bytes = readFollowedBytes(file, MAX_FONT_BYTES);
    const found = create(bytes);
    const font = 'fonts' in found ? found.fonts[0]! : found;
    const postscript = 'fonts' in found ? font.postscriptName : null;
    return { how: 'read', ...coverageOf(path.basename(file), font), bytes, postscript };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT' ? 'is not there' : `is not a font that can be read (${code ?? message}): TrueType or OpenType`;
    return { how: 'refused', why: `--font: ${file} ${why}` };
  }
}
