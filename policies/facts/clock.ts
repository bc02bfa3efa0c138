// Defines the time that the policies use: the caller passes it in.

export interface Clock {
  now: Date;
  /** IANA name of the zone for times without one; UTC if absent. */
  timeZone?: string;
  /** The zone is that of the service whose text is read, not a guess from this machine. */
  zoneIsKnown?: boolean;
}
