// Decodes a file of an archive in its declared encoding; refuses bytes that are invalid in it, and never guesses.

import { DECLARATION_BYTES, encodingOf } from '../../../policies/distill/epub/encoding.ts';
import { ArchiveRefusal } from './archive-refusal.ts';

/**
 * Throws ArchiveRefusal, and the errors of `pieces`.
 * @param name the name for the message of a refusal.
 */
export async function* decoded(pieces: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  let decode: ((bytes: Uint8Array | null) => string) | null = null;
  let head = Buffer.alloc(0);
  for await (const bytes of pieces) {
    if (decode !== null) {
      yield decode(bytes);
      continue;
    }
    head = Buffer.concat([head, bytes]);
    if (head.length < DECLARATION_BYTES) continue;
    decode = decoderOf(head, name);
    yield decode(head);
  }
  if (decode === null) {
    decode = decoderOf(head, name);
    yield decode(head);
  }
  yield decode(null);
}

function decoderOf(head: Uint8Array, name: string): (bytes: Uint8Array | null) => string {
  const label = encodingOf(head);
  const decoder = decoderFor(label, name);
  return (bytes) => {
    try {
      return bytes === null ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new ArchiveRefusal('not_a_book', `holds ${name}, which is to be ${label} and is not; save it in UTF-8`);
    }
  };
}

function decoderFor(label: string, name: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    throw new ArchiveRefusal(
      'not_a_book',
      `holds ${name} in the encoding ${JSON.stringify(label)}, which cannot be read here; save it in UTF-8`,
    );
  }
}
