// An archive that cannot be read, in words without a subject.

export class ArchiveRefusal extends Error {
  readonly reason: 'truncated' | 'encrypted' | 'too_large' | 'not_a_book';

  constructor(reason: ArchiveRefusal['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}
