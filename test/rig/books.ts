// Makes real books for the tests: EPUBs of any contents, and PDFs that are complete, cut, encrypted, or of many pages.

import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

type Entries = Readonly<Record<string, string | Buffer>>;

/**
 * Makes a zip archive.
 * @param claims sizes that differ from the real ones, as a bomb or a faulty writer declares them.
 */
export function zipOf(entries: Entries, claims: Readonly<Record<string, number>> = {}): Buffer {
  const [locals, centrals]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const [name, content] of Object.entries(entries)) {
    const raw = Buffer.from(content);
    const [packed, method] = name === 'mimetype' ? [raw, 0] : [deflateRawSync(raw), 8];
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x0800, 2);
    fields.writeUInt16LE(method as number, 4);
    fields.writeUInt32LE(crc32(raw), 10);
    fields.writeUInt32LE((packed as Buffer).length, 14);
    fields.writeUInt32LE(claims[name] ?? raw.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, Buffer.from(name), packed as Buffer]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    centrals.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, rest, Buffer.from(name)]));
    locals.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(locals.length, 8);
  end.writeUInt16LE(locals.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** The entries of an EPUB of these chapters, each with a name and the content of its body. */
export function epubEntries(chapters: Readonly<Record<string, string>>, title = 'Walden'): Record<string, string> {
  const names = Object.keys(chapters);
  const items = names.map((name, i) => `<item id="c${i}" href="text/${name}" media-type="application/xhtml+xml"/>`);
  const refs = names.map((_, i) => `<itemref idref="c${i}"/>`);
  const pages = names.map((name) => [`OEBPS/text/${name}`, page(chapters[name]!)]);
  return {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': `<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    'OEBPS/content.opf': `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></metadata><manifest>${items.join('')}</manifest><spine>${refs.join('')}</spine></package>`,
    ...Object.fromEntries(pages),
  };
}

const page = (body: string): string =>
  `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${body}</body></html>`;

export const epubOf = (chapters: Readonly<Record<string, string>>, title?: string): Buffer =>
  zipOf(epubEntries(chapters, title));

/** `trailer`: further content of the trailer; `stream`: has a cross-reference stream instead of the table. */
export function pdfOf(
  pages: number,
  { trailer = '', stream = false }: { trailer?: string; stream?: boolean } = {},
): Buffer {
  const kids = Array.from({ length: pages }, (_, i) => `${i + 3} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    ...Array.from({ length: pages }, () => '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>'),
  ];
  let text = '%PDF-1.5\n';
  const offsets = objects.map((object, i) => {
    const at = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const at = text.length;
  const size = objects.length + 1;
  if (stream)
    text += `${size} 0 obj\n<< /Type /XRef /Size ${size} /Root 1 0 R ${trailer} /Length 0 >>\nstream\n\nendstream\nendobj\n`;
  else {
    const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
    text += `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\n`;
  }
  return Buffer.from(`${text}startxref\n${at}\n%%EOF\n`, 'latin1');
}

/** A PDF whose pages are inside a compressed stream, as newer writers produce it. */
export function packedPdf(): Buffer {
  const objects = deflateSync('1 0 2 40 << /Type /Catalog /Pages 2 0 R >>  << /Type /Pages /Kids [3 0 R] /Count 1 >>');
  return Buffer.concat([
    Buffer.from(
      `%PDF-1.5\n9 0 obj\n<< /Type /ObjStm /N 2 /First 9 /Filter /FlateDecode /Length ${objects.length} >>\nstream\r\n`,
    ),
    objects,
    Buffer.from(
      '\nendstream\nendobj\n8 0 obj\n<< /Type /XRef /Size 9 >>\nstream\n\nendstream\nendobj\nstartxref\n9\n%%EOF\n',
    ),
  ]);
}

/** The archive with a zip64 end that claims these positions; each is a 64-bit number. */
export function withZip64End(archive: Buffer, { record, directory }: { record?: bigint; directory?: bigint }): Buffer {
  const end = archive.subarray(archive.length - 22);
  const body = archive.subarray(0, archive.length - 22);
  const found = Buffer.alloc(56);
  found.writeUInt32LE(0x06064b50, 0);
  found.writeBigUInt64LE(44n, 4);
  found.writeBigUInt64LE(BigInt(end.readUInt16LE(8)), 24);
  found.writeBigUInt64LE(BigInt(end.readUInt16LE(8)), 32);
  found.writeBigUInt64LE(BigInt(end.readUInt32LE(12)), 40);
  found.writeBigUInt64LE(directory ?? BigInt(end.readUInt32LE(16)), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(record ?? BigInt(body.length), 8);
  locator.writeUInt32LE(1, 16);
  const marked = Buffer.from(end);
  marked.writeUInt16LE(0xffff, 8);
  marked.writeUInt16LE(0xffff, 10);
  marked.writeUInt32LE(0xffffffff, 12);
  marked.writeUInt32LE(0xffffffff, 16);
  return Buffer.concat([body, found, locator, marked]);
}
