// What the policies know of time: they are told.

export interface Clock {
  now: Date;
  /** IANA name of the zone that a time without one is meant in; UTC if absent. */
  timeZone?: string;
}
