// Renders the health of the services: days without an unrecoverable error, a table by day, and one by tool.

import type { HealthReport } from '../../../loops/upkeep/collect-errors.ts';
import type { Counts } from '../../../policies/api-errors/health.ts';
import { visible } from '../../../policies/text/display.ts';
import { columns } from '../../columns.ts';

/** What `--health --json` prints. */
export interface HealthObject extends HealthReport {
  schema: 1;
  /** When the report was made, ISO time. */
  at: string;
  /** The start of the counted period, ISO time. */
  since: string;
}

export function renderHealth(health: HealthReport, since: string): string {
  const { days, tools, total, unreadable, folder } = health;
  const blocks = [
    [headline(health, since)],
    days.length === 0
      ? []
      : columns([['DAY', ...HEADINGS], ...days.map(({ day, ...of }) => [day, ...cellsOf(of)])]).map(visible),
    tools.length === 0
      ? []
      : columns([
          ['TOOL', 'VERSION', ...HEADINGS],
          ...tools.map(({ tool, cli_version, ...of }) => [tool, cli_version ?? 'unknown', ...cellsOf(of)]),
        ]).map(visible),
    [
      `Since ${since.slice(0, 10)}: ${total.unrecovered} unrecovered, ${total.recovered} recovered, ${total.users} for the user (auth, quota), ${total.open} open; ${folder}`,
      'Unrecovered: it ended its stage, or its call alone. A call that no run made counts as such, whatever its caller did then.',
      ...(unreadable === 0
        ? []
        : [
            unreadable === 1
              ? '1 entry could not be read and is not counted'
              : `${unreadable} entries could not be read and are not counted`,
          ]),
    ],
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function headline({ days_without, last_unrecovered, first_logged, folder }: HealthReport, since: string) {
  if (days_without !== null) {
    const days = days_without === 1 ? '1 day' : `${days_without} days`;
    return `${days} without an unrecoverable error (the last: ${last_unrecovered!.slice(0, 16)}Z)`;
  }
  if (first_logged !== null) return `No unrecoverable error since the log began (${first_logged.slice(0, 16)}Z)`;
  return `No API failure at all is logged in ${folder} (looked at since ${since.slice(0, 16)}Z)`;
}

const HEADINGS = ['UNRECOVERED', 'RECOVERED', "USER'S", 'OPEN'] as const;

const cellsOf = ({ unrecovered, recovered, users, open }: Counts): string[] =>
  [unrecovered, recovered, users, open].map(String);
