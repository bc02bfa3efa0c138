// Draws bars of the use per day and tool; below them the same figures as a table.

import { useEffect, useRef, useSignal } from '../reactive.ts';
import { counted, lacking } from './figures.ts';
import { Empty } from './shown.tsx';

interface Day {
  /** `2026-11-25`. */
  day: string;
  values: Readonly<Record<string, number>>;
  /** The number of calls that the value lacks, since they did not report it. */
  without?: Readonly<Record<string, number>>;
}

interface DayChartProps {
  title: string;
  days: readonly Day[];
  /** In the order in which they are stacked. */
  tools: readonly string[];
  say: (value: number, without?: number) => string;
  /** What the calls of `without` did not report. */
  lack?: 'price' | 'tokens';
}

/** Used until the width of the chart is known. A unit is a pixel, so that the text is readable at any width. */
const FIRST_WIDTH = 1000;
const HEIGHT = 200;
const LEFT_MARGIN = 52;
const RIGHT_MARGIN = 18;
const MOST_BAR = 64;
/** The space for the name of a day. */
const DAY_WIDTH = 80;
const BOTTOM = 22;
const TOP = 8;

export function DayChart({ title, days, tools, say, lack = 'tokens' }: DayChartProps) {
  const most = Math.max(...days.map(sumOf), 0);
  const top = roundUp(most);
  const box = useRef<HTMLElement>(null);
  const measured = useSignal(FIRST_WIDTH);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      measured.value = Math.max(240, Math.round(entry!.contentRect.width));
    });
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const width = measured.value;
  const slot = (width - LEFT_MARGIN - RIGHT_MARGIN) / Math.max(1, days.length);
  const bar = Math.min(MOST_BAR, Math.max(1, slot - Math.min(6, slot * 0.22)));
  const every = Math.ceil(days.length / Math.max(1, Math.floor((width - LEFT_MARGIN) / DAY_WIDTH)));
  const y = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - BOTTOM - TOP);
  const sumFor = (tool: string, of: 'values' | 'without') => days.reduce((sum, day) => sum + (day[of]?.[tool] ?? 0), 0);
  const lacked = tools.reduce((sum, tool) => sum + sumFor(tool, 'without'), 0);
  const lackWords = lacked === 0 ? null : <p class="dim">In addition: {lacking(lacked, lack)}.</p>;
  if (most === 0)
    return (
      <figure class="chart" ref={box}>
        {lackWords ?? <Empty title={`Nothing in ${counted(days.length, 'day')}`} />}
      </figure>
    );
  return (
    <figure class="chart" ref={box}>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={`${title}: ${inWords(days, say)}`}>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line class="grid" x1={LEFT_MARGIN} x2={width - RIGHT_MARGIN} y1={y(top * share)} y2={y(top * share)} />
            <text x={LEFT_MARGIN - 8} y={y(top * share) + 4} text-anchor="end">
              {say(top * share)}
            </text>
          </g>
        ))}
        {days.map(({ day, values, without }, at) => {
          let below = 0;
          return (
            <g key={day}>
              {tools.map((tool, nth) => {
                const value = values[tool] ?? 0;
                if (value <= 0) return null;
                const from = y(below);
                below += value;
                return (
                  <rect
                    key={tool}
                    class={`tool-${nth % 6}`}
                    x={LEFT_MARGIN + at * slot + (slot - bar) / 2}
                    width={bar}
                    y={y(below)}
                    height={Math.max(1, from - y(below))}
                    rx="1.5"
                  >
                    <title>{`${day}, ${tool}: ${say(value, without?.[tool])}`}</title>
                  </rect>
                );
              })}
              {(days.length - 1 - at) % every === 0 && (
                <text x={LEFT_MARGIN + at * slot + slot / 2} y={HEIGHT - 5} text-anchor="middle">
                  {dayWord(day)}
                </text>
              )}
            </g>
          );
        })}
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
      </figcaption>
      {lackWords}
      <details>
        <summary>The same as a table</summary>
        <div class="table-box">
          <table>
            <thead>
              <tr>
                <th scope="col">Day</th>
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
                    {day}
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

function inWords(days: readonly Day[], say: (value: number) => string): string {
  const all = days.reduce((sum, day) => sum + sumOf(day), 0);
  const highest = days.reduce((best, day) => (sumOf(day) > sumOf(best) ? day : best));
  return `${say(all)} in ${counted(days.length, 'day')}, most on ${highest.day} with ${say(sumOf(highest))}`;
}

/** Rounds up to the next even multiple of a power of ten, so that half of it is a round figure too. */
function roundUp(value: number): number {
  if (value <= 0) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([2, 4, 6, 8].find((step) => step * power >= value) ?? 10);
}

const dayWord = (day: string): string => {
  const date = new Date(`${day}T12:00:00Z`);
  return Number.isNaN(date.getTime())
    ? day
    : date.toLocaleDateString('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
};
