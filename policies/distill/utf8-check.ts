// Whether a file is a text in UTF-8 and has a word in it, read piece by piece, with the place of the first byte that is none of it.

interface Utf8Check {
  /** Nothing is looked at any more once a byte is bad. */
  take(bytes: Uint8Array): void;
  /** After the last piece. `bad`: counted from 1. */
  said(): { bad: number | null; hasWord: boolean };
}

export function createUtf8Check(): Utf8Check {
  const decoder = decoderOf();
  let [taken, bad, hasWord] = [0, null as number | null, false];
  // Of the piece before: a sign has 4 bytes at the most.
  let tail: Buffer = Buffer.alloc(0);
  return {
    take(bytes) {
      if (bad !== null) return;
      try {
        hasWord = /\S/.test(decoder.decode(bytes, { stream: true })) || hasWord;
      } catch {
        const looked = Buffer.concat([tail, bytes]);
        bad = taken - tail.length + goodBytes(looked) + 1;
      }
      taken += bytes.length;
      tail = openEnd(Buffer.concat([tail, bytes.subarray(-3)]).subarray(-3));
    },
    said() {
      if (bad !== null) return { bad, hasWord };
      try {
        decoder.decode();
        return { bad, hasWord };
      } catch {
        return { bad: taken - tail.length + 1, hasWord };
      }
    },
  };
}

const decoderOf = () => new TextDecoder('utf-8', { fatal: true });

/** From the first byte of a sign that may go on in the next piece. */
function openEnd(bytes: Buffer): Buffer {
  const first = bytes.findLastIndex((byte) => byte >= 0xc0);
  return first < 0 ? Buffer.alloc(0) : bytes.subarray(first);
}

/** The bytes before the first bad one. */
function goodBytes(bytes: Buffer): number {
  let [good, bad] = [0, bytes.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isGood(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function isGood(bytes: Buffer): boolean {
  try {
    decoderOf().decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
