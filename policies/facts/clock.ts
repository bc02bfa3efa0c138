// Defines the time that the policies use, which the caller passes in, and converts wall-clock times in a zone to instants.

export interface Clock {
  now: Date;
  /** IANA name of the zone for times without one; UTC if absent. */
  timeZone?: string;
  /** The zone is that of the service whose text is read, not a guess from this machine. */
  zoneIsKnown?: boolean;
}

export interface WallTime {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  /** May have a fraction. */
  second: number;
}

export function instantOf(wall: WallTime, zone: string): Date {
  const asUtc = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute) + Math.ceil(wall.second * 1000);
  // This is done twice, because the offset may change between the guess and the true instant.
  const guess = asUtc - offsetAt(asUtc, zone);
  return new Date(asUtc - offsetAt(guess, zone));
}

export function wallTimeOf(instant: Date, zone: string): WallTime {
  const local = new Date(instant.getTime() + offsetAt(instant.getTime(), zone));
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
  };
}

/** Accepts IANA names, `UTC`, `+02:00`, common abbreviations; else null. `Etc/GMT-8` is inverted: UTC+8. */
export function zoneOf(name: string): string | null {
  const zone = NICKNAMES[name.toLowerCase().replace(/ (?:standard |daylight )?time$/, '')] ?? name;
  if (OFFSET.test(zone)) return zone;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return null;
  }
}

const OFFSET = /^([+-])(\d\d?):?(\d\d)?$/;

const NICKNAMES: Record<string, string> = {
  z: 'UTC',
  gmt: 'UTC',
  pt: 'America/Los_Angeles',
  pst: 'America/Los_Angeles',
  pdt: 'America/Los_Angeles',
  pacific: 'America/Los_Angeles',
  mountain: 'America/Denver',
  mt: 'America/Denver',
  mst: 'America/Denver',
  mdt: 'America/Denver',
  central: 'America/Chicago',
  ct: 'America/Chicago',
  cst: 'America/Chicago',
  cdt: 'America/Chicago',
  et: 'America/New_York',
  est: 'America/New_York',
  edt: 'America/New_York',
  eastern: 'America/New_York',
  bst: 'Europe/London',
  cet: 'Europe/Paris',
  cest: 'Europe/Paris',
  msk: 'Europe/Moscow',
  ist: 'Asia/Kolkata',
  sgt: 'Asia/Singapore',
  hkt: 'Asia/Hong_Kong',
  jst: 'Asia/Tokyo',
  kst: 'Asia/Seoul',
  aest: 'Australia/Sydney',
  aedt: 'Australia/Sydney',
  nzst: 'Pacific/Auckland',
  nzdt: 'Pacific/Auckland',
};

function offsetAt(time: number, zone: string): number {
  const fixed = OFFSET.exec(zone);
  if (fixed) return (fixed[1] === '-' ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3] ?? 0)) * 60_000;
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(time);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return local - Math.floor(time / 1000) * 1000;
}
