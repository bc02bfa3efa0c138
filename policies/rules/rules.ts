// All rules, in the order in which they are tried.

import { ACCESS_RULES } from './access.ts';
import { ANSWER_RULES } from './answer.ts';
import { CONTENT_RULES } from './content.ts';
import { EXIT_RULES } from './exit.ts';
import { HISTORY_RULES } from './history.ts';
import { MACHINE_RULES } from './machine.ts';
import { MODEL_RULES } from './model.ts';
import { NETWORK_RULES } from './network.ts';
import { QUOTA_RULES } from './quota.ts';
import type { Rule } from './rule.ts';
import { SERVICE_RULES } from './service.ts';
import { SETUP_RULES } from './setup.ts';
import { SIZE_RULES } from './size.ts';
import { STATUS_RULES } from './status.ts';
import { STOP_RULES } from './stop.ts';

/** More specific first: the first that matches decides, and no row may stand in another's shadow. */
export const RULES: readonly Rule[] = [
  ...HISTORY_RULES,
  ...STOP_RULES,
  ...CONTENT_RULES,
  ...SIZE_RULES,
  ...MODEL_RULES,
  ...SETUP_RULES,
  ...QUOTA_RULES,
  ...ACCESS_RULES,
  ...MACHINE_RULES,
  ...ANSWER_RULES,
  ...SERVICE_RULES,
  ...NETWORK_RULES,
  ...STATUS_RULES,
  ...EXIT_RULES,
];
