// Finds the service that claude calls, by its settings and its environment: its own, another address, or a cloud.

import { type SettingsFile, variable } from './settings.ts';

export const BASE_URL = 'ANTHROPIC_BASE_URL';
const SERVICE = 'https://api.anthropic.com';

const CLOUDS = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'];

/** The variable that sends claude to a cloud; null if none does. */
export const cloudOf = (settings: readonly SettingsFile[], environment: NodeJS.ProcessEnv): string | null =>
  CLOUDS.find((name) => variable(name, settings, environment) !== null) ?? null;

export const addressOf = (settings: readonly SettingsFile[], environment: NodeJS.ProcessEnv): string =>
  variable(BASE_URL, settings, environment)?.value ?? SERVICE;

/** claude itself recognises its service by the host, without a port. */
export const isService = (address: string): boolean =>
  URL.canParse(address) && new URL(address).host === new URL(SERVICE).host;
