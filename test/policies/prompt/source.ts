// The sources of a prompt for tests: a small one, of which each test says what is different.

import { NO_PROJECT_FILE } from '../../../policies/manifest/project-file.ts';
import { resolveRole, type StageWords } from '../../../policies/manifest/resolved-role.ts';
import { wholeText } from '../../../policies/prompt/excerpt.ts';
import type { Attachment, PromptSource } from '../../../policies/prompt/source.ts';
import { createRedactor } from '../../../policies/redact/create-redactor.ts';

export function sourceOf(different: Partial<PromptSource> = {}, stage: Partial<StageWords> = {}): PromptSource {
  const resolved = resolveRole({ name: 'codex_brief', role: 'brief', ...stage }, NO_PROJECT_FILE, 'trusted');
  if (resolved.how === 'invalid') throw new Error(resolved.message);
  return {
    taskId: 'fix',
    stage: 'codex_brief',
    role: resolved.role,
    rules: 'Rule.\n',
    template: 'Template.\n',
    goal: 'Goal.',
    request: null,
    context: null,
    changes: null,
    attachments: [],
    answers: [],
    allow: [],
    deny: [],
    forbidden: [],
    criteria: [],
    commands: [],
    schema: null,
    ...different,
  };
}

export const attachment = (name: string, text: string): Attachment => ({
  name,
  path: `in/${name}`,
  bytes: Buffer.byteLength(text),
  holds: { how: 'text', excerpt: wholeText(text) },
});

export const asking = (text: string) => ({ path: 'inputs/user_request.md', text });

export const REDACTOR = createRedactor({ env: {}, patterns: [] });
