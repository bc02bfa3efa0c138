// Lists the views of the page, in the order of the rail.

import type { IconName } from '../parts/icon.tsx';

export const VIEWS = [
  { id: 'now', name: 'Now', key: 'n' },
  { id: 'tasks', name: 'Tasks', key: 't' },
  { id: 'failures', name: 'Failures', key: 'f' },
  { id: 'budgets', name: 'Budgets and limits', key: 'b' },
  { id: 'sessions', name: 'Sessions', key: 's' },
  { id: 'supervise', name: 'Supervise', key: 'v' },
  { id: 'distill', name: 'Distill', key: 'd' },
  { id: 'machine', name: 'Machine', key: 'm' },
] as const satisfies readonly { id: IconName; name: string; key: string }[];
