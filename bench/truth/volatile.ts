// Defines operators that change what is volatile: tokens in a text, tokens planted into it, its prompt, its task.

import { pick } from '../random.ts';
import { before, behindFirst, firstSignedLine, type Operator } from './operator.ts';
import type { Subject } from './subject.ts';
import { replaced, TOKEN_KINDS, tokensOf } from './tokens.ts';

export const CHANGED: readonly Operator[] = TOKEN_KINDS.map((kind) => ({
  name: kind.name,
  change: ({ text: old }, random) => {
    // The same token always becomes the same other one.
    const others = new Map<string, string>();
    const tokens = tokensOf(old).filter((token) => token.kind === kind);
    const text = replaced(old, tokens, (token) => {
      const made = others.get(token) ?? kind.make(token, random);
      others.set(token, made);
      return made;
    });
    return text === old ? null : { text };
  },
}));

export const PLANTED: readonly Operator[] = [
  ...TOKEN_KINDS.map(
    (kind): Operator => ({
      name: kind.name,
      change: (subject, random) => {
        const form = pick(random, kind.planted);
        const plant = () =>
          behindFirst(
            subject,
            form.replace('*', () => kind.make('', random)),
          );
        const [base, text] = subject.of === 'nothing' ? [null, null] : [plant(), plant()];
        return base === null || text === null || base === text ? null : { base: { text: base }, text };
      },
    }),
  ),
  {
    name: 'task id',
    change: (subject, random) => {
      const form = pick(random, [' (task *)', ' in .tmp/task/*/codex_impl.err', ' while running *.']);
      const [one, two] = pick(random, TASKS);
      const side = (taskId: string) => ({
        text: behindFirst(subject, form.replace('*', taskId)) ?? undefined,
        context: { taskId },
      });
      return subject.of === 'nothing' || side(one).text === undefined ? null : { base: side(one), ...side(two) };
    },
  },
  {
    name: 'prompt',
    change: (subject, random) => {
      const at = firstSignedLine(subject);
      if (subject.of !== 'stderr' || at === -1) return null;
      const echo = echoFor(subject, at);
      if (echo === null) return null;
      const [one, two] = pick(random, echo.prompts);
      const side = (prompt: string) => ({ text: before(subject.text, at, echo.of(prompt)), context: { prompt } });
      return { base: side(one), ...side(two) };
    },
  },
];

/** codex in text mode prints a header, the prompt, and then its own errors; others may quote a prompt of one line. */
function echoFor({ labelled, text }: Subject, at: number) {
  if (labelled.captured.tool !== 'codex') return { prompts: PROMPTS, of: (prompt: string) => [`Prompt: ${prompt}`] };
  if (/^OpenAI Codex v/m.test(text) || !/^ERROR: /.test(text.split('\n')[at]!)) return null;
  const header = ['OpenAI Codex v0.169.0', '--------', 'workdir: /srv/app', '--------', 'user'];
  return { prompts: [...PROMPTS, ...LONG_PROMPTS], of: (prompt: string) => [...header, prompt] };
}

const TASKS = [
  ['fix-login-7', 'add-cache-12'],
  ['issue_481', 'issue_77'],
  ['migrate-db', 'rename-api'],
] as const;

const PROMPTS = [
  ['Write a haiku about the sea in winter.', 'Summarise the design of the cache in five lines.'],
  ['Fix the test that fails with error 500.', 'Explain why login is rejected with 401 for expired tokens.'],
] as const;

const LONG_PROMPTS = [
  [
    'Fix the test that fails with error 500.\nDo not change the schema.',
    'Explain why login is rejected.\n\nERROR handling is out of scope.\nAnswer in one paragraph.',
  ],
] as const;
