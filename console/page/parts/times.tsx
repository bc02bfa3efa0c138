// Shows times that update by themselves by one timer of the page: how long ago, for how long, until when.

import { type ComponentChildren, type ReadonlySignal, signal } from '../reactive.ts';
import { dated, lasting, minuteTime, since } from './figures.ts';
import { Icon } from './icon.tsx';

/** Shows the whole date on hover. */
export function Ago({ at }: { at: string | null }) {
  if (at === null) return <span class="dim">never</span>;
  return (
    <time dateTime={at} title={dated(at)} class="nowrap">
      {since(at, now.value)}
    </time>
  );
}

export function Dated({ at }: { at: string }) {
  return (
    <time dateTime={at} class="nowrap">
      {dated(at)}
    </time>
  );
}

export function Elapsed({ from }: { from: string }) {
  const ms = now.value - Date.parse(from);
  return (
    <time title={`since ${dated(from)}`} class="nowrap">
      {Number.isNaN(ms) ? 'unknown' : lasting(ms)}
    </time>
  );
}

/** The time between the start of a call and its limit is rounded up, since a part of it passed before. */
const ROUND_MS = 5_000;

/** How long a call has run, of the time that it may run. */
export function Limited({ of: { at, deadline_at: until } }: { of: { at: string; deadline_at: string } }) {
  const most = Math.ceil((Date.parse(until) - Date.parse(at)) / ROUND_MS) * ROUND_MS;
  return (
    <span class="nowrap">
      <Elapsed from={at} />
      {most > 0 && ` of ${lasting(most)}`}
    </span>
  );
}

/** A CLI that has said nothing for so long may hang. */
const SILENT_MS = 120_000;

export const isSilent = (at: string | null): boolean => at !== null && now.value - Date.parse(at) >= SILENT_MS;

interface HeardProps {
  /** ISO time at which the CLI last wrote something; null if it has not. */
  at: string | null;
  /** ISO time at which the call is ended at the latest. */
  until: string | undefined;
  /** What it did last. */
  children: ComponentChildren;
}

/** Whether a call still works: what was last heard of it, and when it is ended. */
export function Heard({ at, until, children }: HeardProps) {
  const ends = until !== undefined && (
    <span class="dim">
      ; stops itself at <time dateTime={until}>{minuteTime(until)}</time>
    </span>
  );
  if (at === null) return <span>nothing said yet{ends}</span>;
  return (
    <span>
      {isSilent(at) ? (
        <b class="wait-text">
          silent for <Elapsed from={at} />
        </b>
      ) : (
        <>
          last event <Ago at={at} />
        </>
      )}
      : {children}
      {ends}
    </span>
  );
}

/** Above a minute, in whole minutes: seconds that tick say nothing there. */
export function Countdown({ to }: { to: string }) {
  const ms = Date.parse(to) - now.value;
  const step = ms > 60_000 ? 60_000 : 1_000;
  return (
    <time dateTime={to} title={dated(to)} class="nowrap">
      {Number.isNaN(ms) ? 'unknown' : ms <= 0 ? 'now' : lasting(Math.ceil(ms / step) * step)}
    </time>
  );
}

/** From when the service takes a call again: `Rerun from 17:21 (in 5 min)`. */
export const From = ({ verb, at }: { verb: string; at: string }) => (
  <span class="from">
    <Icon name="waiting" />
    {verb} from {minuteTime(at)} (in <Countdown to={at} />)
  </span>
);

/** Provides the time for everything that counts up or down: one timer for the page; a hidden page shows no new time. */
const clock = signal(Date.now());

/** Ticks once a second. */
export const now: ReadonlySignal<number> = clock;

/** Browsers let a hidden page look at least once a minute. */
const JUMP_MS = 180_000;

/** How often the time has jumped: the machine or the page slept, or the clock was set. A stream can have ended unnoticed. */
export const jumps = signal(0);

export function startClock(): void {
  let lastAt = Date.now();
  const tick = () => {
    const at = Date.now();
    if (Math.abs(at - lastAt) > JUMP_MS) jumps.value += 1;
    lastAt = at;
    if (!document.hidden) clock.value = at;
  };
  document.addEventListener('visibilitychange', tick);
  setInterval(tick, 1_000);
}
