// Defines the formats of the report of all tasks; each format reads only the additional facts that it needs.

import type { TasksReport } from '../../../loops/report/collect.ts';
import { collectSpending } from '../../../loops/report/collect-spending.ts';
import { reportProblems } from '../../../loops/report/report-problems.ts';
import manifest from '../../../package.json';
import { annotationsOf } from '../../../policies/report/annotations.ts';
import { codeQualityOf } from '../../../policies/report/code-quality.ts';
import { withRelativePaths } from '../../../policies/report/file-place.ts';
import { sarifOf } from '../../../policies/report/sarif.ts';
import type { DaySpending } from '../../../policies/report/spending.ts';
import { projectRoot } from '../../../state/task-folder.ts';
import { sheetOf } from '../../sheet.ts';
import { renderMarkdown, renderText } from '../report-page.ts';
import { renderHtml } from './html-page.ts';
import { renderJunit } from './junit-page.ts';

interface ToldReport {
  report: TasksReport;
  cwd: string;
  environment: NodeJS.ProcessEnv;
  /** Whether text, json and md include what was spent; an HTML page always does. */
  spent: boolean;
}

export const FORMATS = {
  text: async (telling) => renderText(telling.report, sheetOf(telling.environment), await spentIf(telling)),
  json: async (telling) => {
    const spent = await spentIf(telling);
    return `${JSON.stringify(spent === null ? telling.report : { ...telling.report, spent })}\n`;
  },
  md: async (telling) => renderMarkdown(posted(telling), await spentIf(telling)),
  html: async (telling) => renderHtml(posted(telling), problems(telling), await spending(telling)),
  junit: async (telling) => renderJunit(posted(telling)),
  sarif: async (telling) => sarifOf(problems(telling), { version: manifest.version, at: telling.report.at }),
  github: async (telling) => annotationsOf(problems(telling)),
  gitlab: async (telling) => codeQualityOf(problems(telling)),
} as const satisfies Record<string, (telling: ToldReport) => Promise<string>>;

export type ReportFormat = keyof typeof FORMATS;

/** Makes paths relative, because a reader on another machine cannot use the paths of this one. */
function posted(telling: ToldReport): TasksReport {
  const root = JSON.stringify(rootOf(telling)).slice(1, -1);
  return JSON.parse(withRelativePaths(JSON.stringify(telling.report), [root])) as TasksReport;
}

const rootOf = ({ report, cwd, environment }: ToldReport): string =>
  projectRoot(environment.TOLLGATE_STATE ? cwd : report.folder);

const problems = (telling: ToldReport) => reportProblems(telling.report, rootOf(telling), telling.environment);

const spending = ({ report, cwd, environment }: ToldReport) => collectSpending(report, cwd, environment);

const spentIf = async (telling: ToldReport): Promise<DaySpending[] | null> =>
  telling.spent ? spending(telling) : null;
