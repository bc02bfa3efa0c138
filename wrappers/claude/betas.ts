// Keeps claude from guessing at an HTTP 400 that it cannot parse.

import { addressOf, cloudOf, isService } from './service.ts';
import { type SettingsFile, variable } from './settings.ts';

/**
 * At its own service claude sends one request. Elsewhere it sends up to eight, each with one beta less, and restarts a turn whose
 * tools have already run. Without betas it sends one there too, and declares all tools in full instead of some by name.
 */
export function noGuesses(settings: readonly SettingsFile[], environment: NodeJS.ProcessEnv): Record<string, string> {
  if (cloudOf(settings, environment) === null && isService(addressOf(settings, environment))) return {};
  return oncePerRefusal(settings, environment);
}

/** Changes nothing if the user has set either of the two. */
export const oncePerRefusal = (
  settings: readonly SettingsFile[],
  environment: NodeJS.ProcessEnv,
): Record<string, string> =>
  [BETAS_OFF, TOOLS_BY_NAME].some((name) => variable(name, settings, environment) !== null) ? {} : { [BETAS_OFF]: '1' };

const BETAS_OFF = 'CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS';
const TOOLS_BY_NAME = 'ENABLE_TOOL_SEARCH';
