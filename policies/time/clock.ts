// What the policies know of time: the caller passes it in.

export interface Clock {
  now: Date;
  /** IANA name of the zone that a time without one is meant in; UTC if absent. */
  timeZone?: string;
  /** The zone is that of the service whose text is read, not a guess from this machine. */
  zoneIsKnown?: boolean;
}
