// Names that are no valid UTF-8: each has one text of its own, and finds its way back to the disk.

/** What Node puts in the place of bytes that are no UTF-8; here each one is followed by its bytes in hex. */
const UNKNOWN = '\ufffd';
const UNKNOWN_BYTES = Buffer.from(UNKNOWN);

/** Did Node lose something of a name? */
export const isLossy = (name: string): boolean => name.includes(UNKNOWN);

/** A name from its bytes; a real replacement character is written out like an invalid byte, so that no two are one. */
export function nameOf(bytes: Buffer): string {
  let name = '';
  for (let at = 0; at < bytes.length; ) {
    const length = validAt(bytes, at);
    const piece = bytes.subarray(at, at + Math.max(1, length));
    name +=
      length === 0 || piece.equals(UNKNOWN_BYTES) ? `${UNKNOWN}${piece.toString('hex')}.` : piece.toString('utf8');
    at += piece.length;
  }
  return name;
}

/** Where something lies: a text, or bytes where its name is no text. */
export function placeOf(root: string, path: string): string | Buffer {
  const place = path === '' ? root : `${root}/${path}`;
  if (!path.includes(UNKNOWN)) return place;
  const [first, ...rest] = path.split(UNKNOWN);
  const pieces = rest.map((piece) => {
    const end = piece.indexOf('.');
    return Buffer.concat([Buffer.from(piece.slice(0, end), 'hex'), Buffer.from(piece.slice(end + 1))]);
  });
  return Buffer.concat([Buffer.from(`${root}/${first}`), ...pieces]);
}

/**
 * The name of an entry in a folder that is laid out as the tree. In a linked worktree `.git` is a file, and what git keeps for
 * it elsewhere is an entry as if it lay below.
 */
export const besideTree = (path: string): string => path.replace(/^\.git\//, '.git-folder/');

/** The length of the valid character that begins here, or 0. */
function validAt(bytes: Buffer, at: number): number {
  const lead = bytes[at]!;
  const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  const piece = bytes.subarray(at, at + length);
  return Buffer.from(piece.toString('utf8')).equals(piece) ? length : 0;
}
