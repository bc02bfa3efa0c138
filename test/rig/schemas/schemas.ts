// Collects every published schema by the name of its file in docs/schemas, with its content.

import { BATCH } from './batch.ts';
import { BUDGET } from './budget.ts';
import { CALL, FAILURE } from './call.ts';
import { COMPARISON } from './comparison.ts';
import { BACKUPS, HISTORY, SESSIONS } from './conversation.ts';
import { ERRORS, HEALTH } from './errors.ts';
import { EXPLANATION } from './explain.ts';
import { FORECAST } from './forecast.ts';
import { GATE } from './gate.ts';
import { JOURNAL } from './journal.ts';
import { PREFLIGHT, TOOLS_LISTED, WAIT } from './machine.ts';
import { NOTIFICATION } from './notify.ts';
import { published, type Schema } from './parts.ts';
import { REPORT } from './run.ts';
import { STATE } from './state.ts';
import { STATUS } from './status.ts';
import { REASONER, SESSION_SAVE } from './supervise.ts';
import { PROJECT, TASK } from './task.ts';
import { TASKS } from './tasks.ts';

const SCHEMAS: Record<string, Schema> = {
  TASK_SCHEMA: TASK,
  PROJECT_SCHEMA: PROJECT,
  STATE_SCHEMA: STATE,
  CALL_SCHEMA: CALL,
  FAILURE_SCHEMA: FAILURE,
  GATE_SCHEMA: GATE,
  REPORT_SCHEMA: REPORT,
  TASKS_SCHEMA: TASKS,
  ERRORS_SCHEMA: ERRORS,
  HEALTH_SCHEMA: HEALTH,
  HISTORY_SCHEMA: HISTORY,
  SESSIONS_SCHEMA: SESSIONS,
  BACKUPS_SCHEMA: BACKUPS,
  BATCH_SCHEMA: BATCH,
  COMPARISON_SCHEMA: COMPARISON,
  JOURNAL_SCHEMA: JOURNAL,
  STATUS_SCHEMA: STATUS,
  EXPLAIN_SCHEMA: EXPLANATION,
  BUDGET_SCHEMA: BUDGET,
  FORECAST_SCHEMA: FORECAST,
  PREFLIGHT_SCHEMA: PREFLIGHT,
  TOOLS_SCHEMA: TOOLS_LISTED,
  WAIT_SCHEMA: WAIT,
  REASONER_SCHEMA: REASONER,
  SESSION_SAVE_SCHEMA: SESSION_SAVE,
  NOTIFICATION_SCHEMA: NOTIFICATION,
};

export const schemaFiles = (): { name: string; schema: Schema; text: string }[] =>
  Object.entries(SCHEMAS).map(([title, bare]) => {
    const schema = published(title, bare);
    return { name: `${title}.json`, schema, text: `${JSON.stringify(schema, null, 2)}\n` };
  });
