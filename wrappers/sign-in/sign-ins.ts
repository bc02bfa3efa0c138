// How each CLI is signed in, by its own files and the environment.

import type { BuiltIn } from '../../policies/facts/tools.ts';
import { readClaudeSignIn } from '../claude/sign-in.ts';
import { readCodexSignIn } from '../codex/sign-in.ts';
import { readCopilotSignIn } from '../copilot/sign-in.ts';
import { readGeminiSignIn } from '../gemini/sign-in.ts';
import type { SignIn, Surroundings } from './sign-in.ts';

export const SIGN_INS = {
  gemini: readGeminiSignIn,
  copilot: readCopilotSignIn,
  codex: readCodexSignIn,
  claude: readClaudeSignIn,
} as const satisfies Record<BuiltIn, (surroundings: Surroundings) => SignIn>;
