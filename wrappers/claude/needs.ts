// Warns of settings files that claude ignores silently, including their deny rules.

import { type CheckAnswer, say } from '../../policies/facts/finding.ts';
import type { Surroundings } from '../sign-in/sign-in.ts';
import { readSettings } from './settings.ts';

export function claudeNeeds({ environment, home, cwd }: Surroundings): CheckAnswer {
  const broken = readSettings({ environment: { ...environment, HOME: home }, cwd }).filter(
    ({ settings }) => settings === null,
  );
  if (broken.length === 0) return null;
  const files = broken.map(({ file }) => file).join(' and ');
  return say('warn', `${files} cannot be read as JSON: claude continues without, its deny rules too`, `fix ${files}`);
}
