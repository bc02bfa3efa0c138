// Defines the error for an archive that cannot be read; its message has no subject.

export class ArchiveRefusal extends Error {
  readonly reason: 'truncated' | 'encrypted' | 'too_large' | 'not_a_book';

  constructor(reason: ArchiveRefusal['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}
