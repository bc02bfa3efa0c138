// Plays the Files API: an upload starts, arrives in pieces and ends; the file is processed for some looks, and expires.

import { createHash, type Hash } from 'node:crypto';

export interface StoredFile {
  name: string;
  uri: string;
  displayName: string;
  mimeType: string;
  sizeBytes: number;
  sha256: string;
  /** The number of further answers of PROCESSING. */
  looksLeft: number;
  fails: boolean;
  expiresAtMs: number;
}

interface Upload {
  displayName: string;
  mimeType: string;
  size: number;
  received: number;
  hash: Hash;
}

export interface FileRules {
  /** The number of looks during which it is processing. */
  looks: number;
  /** Why the processing fails; null if it does not. */
  failure: string | null;
  lifeMs: number;
  granularity: number;
  now: () => number;
}

export class Files {
  readonly stored = new Map<string, StoredFile>();
  readonly #uploads = new Map<string, Upload>();
  readonly #rules: FileRules;
  #made = 0;

  constructor(rules: FileRules) {
    this.#rules = rules;
  }

  /** @returns the id of the upload. */
  start(of: { displayName: string; mimeType: string; size: number }): string {
    const id = `upload-${++this.#made}`;
    this.#uploads.set(id, { ...of, received: 0, hash: createHash('sha256') });
    return id;
  }

  has = (id: string): boolean => this.#uploads.has(id);

  receivedOf = (id: string): number => this.#uploads.get(id)!.received;

  take(id: string, bytes: Uint8Array): void {
    const upload = this.#uploads.get(id)!;
    upload.received += bytes.byteLength;
    upload.hash.update(bytes);
  }

  /** @returns why a piece is refused; null if it is accepted. */
  refused(id: string, offset: number, length: number, last: boolean): string | null {
    const { received, size } = this.#uploads.get(id)!;
    if (offset !== received) return `The offset ${offset} is not the ${received} bytes that were received.`;
    if (!last && length % this.#rules.granularity !== 0) return `${length} is no multiple of the granularity.`;
    return last && received + length !== size ? `${received + length} of ${size} bytes were received.` : null;
  }

  finish(id: string, origin: string): StoredFile {
    const { displayName, mimeType, received, hash } = this.#uploads.get(id)!;
    this.#uploads.delete(id);
    const name = `files/book${++this.#made}`;
    const { looks, failure, lifeMs, now } = this.#rules;
    const file: StoredFile = {
      ...{
        name,
        uri: `${origin}/v1beta/${name}`,
        displayName,
        mimeType,
        sizeBytes: received,
        sha256: hash.digest('hex'),
      },
      ...{ looksLeft: looks, fails: failure !== null, expiresAtMs: now() + lifeMs },
    };
    this.stored.set(name, file);
    return file;
  }

  /** The answer to a look at the file; null if it does not exist or has expired. */
  look(name: string): object | null {
    const file = this.alive(name);
    if (file === null) return null;
    file.looksLeft -= 1;
    return this.describe(file);
  }

  alive(name: string): StoredFile | null {
    const file = this.stored.get(name);
    return file === undefined || file.expiresAtMs <= this.#rules.now() ? null : file;
  }

  isActive = (file: StoredFile): boolean => file.looksLeft < 0 && !file.fails;

  describe(file: StoredFile): object {
    const { name, uri, displayName, mimeType, sizeBytes, expiresAtMs } = file;
    const done = file.looksLeft < 0;
    return {
      ...{ name, uri, displayName, mimeType, sizeBytes: String(sizeBytes) },
      expirationTime: new Date(expiresAtMs).toISOString(),
      state: done ? (file.fails ? 'FAILED' : 'ACTIVE') : 'PROCESSING',
      ...(done && file.fails ? { error: { code: 3, message: this.#rules.failure } } : {}),
    };
  }

  /** Removes all stored files, as after two days. */
  expire(): void {
    for (const file of this.stored.values()) file.expiresAtMs = this.#rules.now();
  }
}
