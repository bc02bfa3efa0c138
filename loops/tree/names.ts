// Encodes names that are not valid UTF-8: each has a unique text that converts back to its bytes.

/** The character that Node puts instead of invalid UTF-8 bytes. Here the bytes follow it in hex. */
const UNKNOWN = '\ufffd';
const UNKNOWN_BYTES = Buffer.from(UNKNOWN);

/** Returns whether Node lost bytes of a name. */
export const isLossy = (name: string): boolean => name.includes(UNKNOWN);

/** Makes a name from its bytes. A real replacement character is encoded like an invalid byte, so that no two names are equal. */
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

/** Returns the path of an entry on disk: a text, or bytes if its name is not valid UTF-8. */
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
 * Returns the name of an entry in a folder with the same layout as the tree. In a linked worktree `.git` is a file. The files
 * that git keeps for it elsewhere are entries with names below `.git/`.
 */
export const besideTree = (path: string): string => path.replace(/^\.git\//, '.git-folder/');

/** Returns the length of the valid character that begins here, or 0. */
function validAt(bytes: Buffer, at: number): number {
  const lead = bytes[at]!;
  const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  const piece = bytes.subarray(at, at + length);
  return Buffer.from(piece.toString('utf8')).equals(piece) ? length : 0;
}
