// Checks in pieces whether a file is UTF-8 text with at least one word, and finds the first invalid byte.

interface Utf8Check {
  /** After an invalid byte, nothing more is read. */
  take(bytes: Uint8Array): void;
  /** Call after the last piece. `bad`: counted from 1. */
  said(): { bad: number | null; hasWord: boolean };
}

export function createUtf8Check(): Utf8Check {
  const decoder = decoderOf();
  let [taken, bad, hasWord] = [0, null as number | null, false];
  // The end of the previous piece. A character has at most 4 bytes.
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

/** Returns the bytes from the start of a character that may continue in the next piece. */
function openEnd(bytes: Buffer): Buffer {
  const first = bytes.findLastIndex((byte) => byte >= 0xc0);
  return first < 0 ? Buffer.alloc(0) : bytes.subarray(first);
}

/** Returns the number of bytes before the first invalid one. */
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
