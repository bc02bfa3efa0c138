// Defines the formats of the report of all tasks; each format reads only the additional facts that it needs.

import { collectSpending, type TasksReport } from '../../../loops/report/collect.ts';
import { reportProblems } from '../../../loops/report/problems.ts';
import manifest from '../../../package.json';
import { annotationsOf } from '../../../policies/report/github-actions.ts';
import { withRelativePaths } from '../../../policies/report/problem.ts';
import { codeQualityOf, sarifOf } from '../../../policies/report/problem-formats.ts';
import type { DaySpending } from '../../../policies/report/spending.ts';
import { projectRoot } from '../../../state/task-folder.ts';
import { sheetOf } from '../../sheet.ts';
import { renderMarkdown, renderText } from '../report-page.ts';
import { renderHtml } from './html-page.ts';
import { renderJunit } from './junit-page.ts';

interface ReportRequest {
  report: TasksReport;
  cwd: string;
  environment: NodeJS.ProcessEnv;
  /** Whether text, json and md include what was spent; an HTML page always does. */
  spent: boolean;
}

export const FORMATS = {
  text: async (request) => renderText(request.report, sheetOf(request.environment), await spentIf(request)),
  json: async (request) => {
    const spent = await spentIf(request);
    return `${JSON.stringify(spent === null ? request.report : { ...request.report, spent })}\n`;
  },
  md: async (request) => renderMarkdown(posted(request), await spentIf(request)),
  html: async (request) => renderHtml(posted(request), await problems(request), await spending(request)),
  junit: async (request) => renderJunit(posted(request)),
  sarif: async (request) => sarifOf(await problems(request), { version: manifest.version, at: request.report.at }),
  github: async (request) => annotationsOf(await problems(request)),
  gitlab: async (request) => codeQualityOf(await problems(request)),
} as const satisfies Record<string, (request: ReportRequest) => Promise<string>>;

export type ReportFormat = keyof typeof FORMATS;

/** Makes paths relative, because a reader on another machine cannot use the paths of this one. */
function posted(request: ReportRequest): TasksReport {
  const root = JSON.stringify(rootOf(request)).slice(1, -1);
  return JSON.parse(withRelativePaths(JSON.stringify(request.report), [root])) as TasksReport;
}

const rootOf = ({ report, cwd, environment }: ReportRequest): string =>
  projectRoot(environment.TOLLGATE_STATE ? cwd : report.folder);

const problems = (request: ReportRequest) => reportProblems(request.report, rootOf(request), request.environment);

const spending = ({ report, cwd, environment }: ReportRequest) => collectSpending(report.tasks, cwd, environment);

const spentIf = async (request: ReportRequest): Promise<DaySpending[] | null> =>
  request.spent ? spending(request) : null;
