// Keeps claude from guessing at an HTTP 400 that it cannot read.

import { addressOf, cloudOf, isService } from './service.ts';
import { type SettingsFile, variable } from './settings.ts';

/**
 * At its own service claude asks once. Elsewhere it asks up to eight times, with one beta less each, and begins a turn anew whose tools
 * ran already. Without betas it asks once there too, and declares all tools in full instead of some by name.
 */
export function noGuesses(settings: readonly SettingsFile[], environment: NodeJS.ProcessEnv): Record<string, string> {
  if (cloudOf(settings, environment) === null && isService(addressOf(settings, environment))) return {};
  return oncePerRefusal(settings, environment);
}

/** Nothing where the user has a word of his own on either. */
export const oncePerRefusal = (
  settings: readonly SettingsFile[],
  environment: NodeJS.ProcessEnv,
): Record<string, string> =>
  [BETAS_OFF, TOOLS_BY_NAME].some((name) => variable(name, settings, environment) !== null) ? {} : { [BETAS_OFF]: '1' };

const BETAS_OFF = 'CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS';
const TOOLS_BY_NAME = 'ENABLE_TOOL_SEARCH';
