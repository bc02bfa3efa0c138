// Draws a small bar for each of the latest days; the same in words is its name.

import type { FailureShown } from '../../contract/overviews.ts';
import { counted } from '../parts/figures.ts';

const BAR = 6;
const GAP = 2;
const HEIGHT = 26;

export function Trend({ of: days }: { of: FailureShown['trend'] }) {
  const most = Math.max(1, ...days.map(({ tasks }) => tasks));
  const height = (tasks: number) => (tasks === 0 ? 1 : 3 + (tasks / most) * (HEIGHT - 3));
  return (
    <svg
      class="trend"
      viewBox={`0 0 ${days.length * (BAR + GAP)} ${HEIGHT}`}
      role="img"
      aria-label={`Tasks by the day on which they failed last: ${inWords(days)}`}
    >
      {days.map(({ day, tasks }, at) => (
        <rect
          key={day}
          class={tasks === 0 ? 'none' : ''}
          x={at * (BAR + GAP)}
          width={BAR}
          y={HEIGHT - height(tasks)}
          height={height(tasks)}
        >
          <title>{`${day}: ${counted(tasks, 'task')}`}</title>
        </rect>
      ))}
    </svg>
  );
}

function inWords(days: FailureShown['trend']): string {
  const some = days.filter(({ tasks }) => tasks > 0);
  if (some.length === 0) return `none in ${counted(days.length, 'day')}`;
  return some.map(({ day, tasks }) => `${day} ${tasks}`).join(', ');
}
