// Draws bars of the use per day and tool, with limits and what is not known; below them the same figures as a table.

import { useEffect, useId, useRef, useSignal } from '../reactive.ts';
import { counted, lacking } from './figures.ts';
import { Empty } from './shown.tsx';

export type ChartPeriod = 'day' | 'week' | 'month';

export interface Day {
  /** `2026-11-25`: the day itself, or the first one of its period. */
  day: string;
  values: Readonly<Record<string, number>>;
  /** The number of calls that the value lacks, since they did not report it. */
  without?: Readonly<Record<string, number>>;
}

interface DayChartProps {
  title: string;
  days: readonly Day[];
  per?: ChartPeriod;
  /** In the order in which they are stacked. */
  tools: readonly string[];
  /** Of the values, such as `calls`. */
  unit: string;
  say: (value: number, without?: number) => string;
  /** Names a value of the axis; `say` without it. */
  mark?: (value: number) => string;
  /** What the calls of `without` did not report. */
  lack?: 'price' | 'tokens';
  limits?: readonly { name: string; most: number }[];
}

/** Used until the width of the chart is known. A unit is a pixel, so that the text is readable at any width. */
const FIRST_WIDTH = 1000;
const HEIGHT = 220;
const LEFT_MARGIN = 52;
const RIGHT_MARGIN = 18;
const MOST_BAR = 64;
/** The space for the name of a day. */
const DAY_WIDTH = 80;
const BOTTOM = 22;
const TOP = 34;
/** The height of the mark for calls whose value is not known: it is no amount. */
const UNKNOWN_HEIGHT = 12;
/** So many slots are drawn at least: a bar alone would be compared with nothing. */
const FEWEST = 7;
/** A limit that is higher than this many times the highest bar is named below the chart: a line for it would flatten the bars. */
const FAR_LIMIT = 4;

export function DayChart({
  title,
  days: all,
  per = 'day',
  tools,
  unit,
  say,
  mark = say,
  lack = 'tokens',
  limits = [],
}: DayChartProps) {
  const first = all.findIndex((day) => sumOf(day) > 0 || lackOf(day) > 0);
  const days = first < 0 ? [] : padded(all.slice(Math.max(0, Math.min(first, all.length - FEWEST))), per);
  const box = useRef<HTMLElement>(null);
  const measured = useSignal(FIRST_WIDTH);
  const pointed = useSignal<string | null>(null);
  const hatch = useId();
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      measured.value = Math.max(240, Math.round(entry!.contentRect.width));
    });
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  if (days.length === 0)
    return (
      <figure class="chart" ref={box}>
        <Empty title={all.length === 0 ? 'Nothing was used yet' : `Nothing in ${counted(all.length, per)}`} />
      </figure>
    );
  const most = Math.max(...days.map(sumOf));
  const near = limits.filter((limit) => most === 0 || limit.most <= FAR_LIMIT * most);
  const far = limits.filter((limit) => !near.includes(limit));
  const top = roundUp(Math.max(most, ...near.map((limit) => limit.most)));
  const width = measured.value;
  const slot = (width - LEFT_MARGIN - RIGHT_MARGIN) / days.length;
  const bar = Math.min(MOST_BAR, Math.max(1, slot - Math.min(6, slot * 0.22)));
  const every = Math.ceil(days.length / Math.max(1, Math.floor((width - LEFT_MARGIN) / DAY_WIDTH)));
  const x = (at: number) => LEFT_MARGIN + at * slot;
  const y = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - BOTTOM - TOP);
  const sumFor = (tool: string, of: 'values' | 'without') => days.reduce((sum, day) => sum + (day[of]?.[tool] ?? 0), 0);
  const lacked = days.reduce((sum, day) => sum + lackOf(day), 0);
  const chosen = days.findIndex(({ day }) => day === pointed.value);
  const read = days[chosen] ?? days.at(-1)!;
  const move = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -days.length, End: days.length };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const from = chosen < 0 ? days.length - 1 : chosen;
    pointed.value = days[Math.max(0, Math.min(days.length - 1, from + step))]!.day;
  };
  return (
    <figure class="chart" ref={box}>
      <p class="readout" aria-live="polite">
        <b>{periodWord(read.day, per, 'whole')}:</b> {inDetail(read, tools, say)}
      </p>
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={`${title}: ${inWords(days, per, say)}. The arrow keys move from ${per} to ${per}.`}
        // In lower case, since an attribute of SVG is case-sensitive.
        tabindex={0}
        onKeyDown={move}
        onPointerLeave={() => (pointed.value = null)}
      >
        <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect class="hatch" width="2.5" height="6" />
        </pattern>
        <text x={LEFT_MARGIN - 8} y={14} text-anchor="end">
          {unit}
        </text>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line class="grid" x1={LEFT_MARGIN} x2={width - RIGHT_MARGIN} y1={y(top * share)} y2={y(top * share)} />
            <text x={LEFT_MARGIN - 8} y={y(top * share) + 4} text-anchor="end">
              {mark(top * share)}
            </text>
          </g>
        ))}
        {days.map((day, at) => {
          const { values } = day;
          let below = 0;
          return (
            <g key={day.day} onPointerEnter={() => (pointed.value = day.day)}>
              <rect class={at === chosen ? 'band chosen' : 'band'} x={x(at)} width={slot} y={TOP} height={y(0) - TOP} />
              {tools.map((tool, nth) => {
                const value = values[tool] ?? 0;
                if (value <= 0) return null;
                const from = y(below);
                below += value;
                return (
                  <rect
                    key={tool}
                    class={`tool-${nth % 6}`}
                    x={x(at) + (slot - bar) / 2}
                    width={bar}
                    y={y(below)}
                    height={Math.max(1, from - y(below))}
                    rx="1.5"
                  />
                );
              })}
              {lackOf(day) > 0 && (
                <rect
                  class="unknown"
                  fill={`url(#${hatch})`}
                  x={x(at) + (slot - bar) / 2}
                  width={bar}
                  y={y(below) - UNKNOWN_HEIGHT}
                  height={UNKNOWN_HEIGHT}
                />
              )}
              {(days.length - 1 - at) % every === 0 && (
                <text x={x(at) + slot / 2} y={HEIGHT - 5} text-anchor="middle">
                  {periodWord(day.day, per, 'short')}
                </text>
              )}
            </g>
          );
        })}
        {near.map((limit) => (
          <g key={limit.name}>
            <line class="limit" x1={LEFT_MARGIN} x2={width - RIGHT_MARGIN} y1={y(limit.most)} y2={y(limit.most)} />
            <text class="limit-name" x={width - RIGHT_MARGIN} y={y(limit.most) - 5} text-anchor="end">
              {limit.name}: {say(limit.most)}
            </text>
          </g>
        ))}
      </svg>
      <figcaption class="legend">
        {tools.map((tool, nth) => (
          <span key={tool}>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <rect class={`tool-${nth % 6}`} width="10" height="10" rx="2" />
            </svg>
            {tool} <b>{say(sumFor(tool, 'values'), sumFor(tool, 'without'))}</b>
          </span>
        ))}
        {lacked > 0 && (
          <span>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <rect class="unknown" fill={`url(#${hatch})`} width="10" height="10" />
            </svg>
            hatched: {lacking(lacked, lack)}
          </span>
        )}
        {far.map((limit) => (
          <span key={limit.name}>
            {limit.name}, above this chart: <b>{say(limit.most)}</b>
          </span>
        ))}
      </figcaption>
      <details>
        <summary>Show as table</summary>
        <div class="table-box">
          <table>
            <thead>
              <tr>
                <th scope="col">{per === 'day' ? 'Day' : per === 'week' ? 'Week from' : 'Month'}</th>
                {tools.map((tool) => (
                  <th scope="col" class="number" key={tool}>
                    {tool}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {[...days].reverse().map(({ day, values, without }) => (
                <tr key={day}>
                  <th scope="row" class="nowrap">
                    {per === 'month' ? day.slice(0, 7) : day}
                  </th>
                  {tools.map((tool) => (
                    <td class="number" key={tool}>
                      {say(values[tool] ?? 0, without?.[tool])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

const sumOf = ({ values }: Day): number => Object.values(values).reduce((sum, value) => sum + value, 0);

const lackOf = ({ without = {} }: Day): number => Object.values(without).reduce((sum, calls) => sum + calls, 0);

function inDetail({ values, without }: Day, tools: readonly string[], say: DayChartProps['say']): string {
  const used = tools.filter((tool) => (values[tool] ?? 0) > 0 || (without?.[tool] ?? 0) > 0);
  return used.length === 0
    ? 'nothing'
    : used.map((tool) => `${tool} ${say(values[tool] ?? 0, without?.[tool])}`).join(', ');
}

function inWords(days: readonly Day[], per: ChartPeriod, say: (value: number) => string): string {
  const all = days.reduce((sum, day) => sum + sumOf(day), 0);
  const highest = days.reduce((best, day) => (sumOf(day) > sumOf(best) ? day : best));
  const when = per === 'day' ? `on ${highest.day}` : `in the ${per} from ${highest.day}`;
  return `${say(all)} in ${counted(days.length, per)}, most ${when} with ${say(sumOf(highest))}`;
}

/** Rounds up to the next even multiple of a power of ten, so that half of it is a round figure too. */
function roundUp(value: number): number {
  if (value <= 0) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([2, 4, 6, 8].find((step) => step * power >= value) ?? 10);
}

/** Periods without use before those that are known, so that there are enough slots. */
function padded(days: readonly Day[], per: ChartPeriod): readonly Day[] {
  const first = new Date(`${days[0]!.day}T12:00:00Z`);
  if (days.length >= FEWEST || Number.isNaN(first.getTime())) return days;
  const before = Array.from({ length: FEWEST - days.length }, (_, at) => {
    const date = new Date(first);
    const back = FEWEST - days.length - at;
    if (per === 'month') date.setUTCMonth(date.getUTCMonth() - back);
    else date.setUTCDate(date.getUTCDate() - back * (per === 'week' ? 7 : 1));
    return { day: date.toISOString().slice(0, 10), values: {} };
  });
  return [...before, ...days];
}

function periodWord(day: string, per: ChartPeriod, length: 'short' | 'whole'): string {
  const date = new Date(`${day}T12:00:00Z`);
  if (Number.isNaN(date.getTime())) return day;
  const isLong = length === 'whole';
  const parts: Intl.DateTimeFormatOptions =
    per === 'month'
      ? { month: isLong ? 'long' : 'short', year: 'numeric' }
      : { day: 'numeric', month: 'short', ...(isLong ? { year: 'numeric' } : {}) };
  const word = date.toLocaleDateString('en', { ...parts, timeZone: 'UTC' });
  return isLong && per === 'week' ? `The week from ${word}` : word;
}
