// Shares between the two dialects of OpenAI: the form of an error, and the shell tools that callers offer.

import type { Dialect } from './dialect.ts';

export const rejectAsOpenai: Dialect['rejection'] = ({ status, openai }) => ({
  status: openai.http ?? status,
  body: { error: { message: openai.message, type: openai.type, param: openai.param ?? null, code: openai.code } },
});

export const shellOfOpenai: Dialect['shell'] = (command, tools) => {
  const name = Object.keys(SHELLS).find((shell) => tools.includes(shell));
  if (!name) throw new Error(`the caller offers no shell tool, only ${tools.join(', ')}`);
  return { name, args: SHELLS[name]?.(command) ?? {} };
};

const SHELLS: Record<string, (command: string) => Record<string, unknown>> = {
  exec_command: (cmd) => ({ cmd }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ['bash', '-lc', command] }),
  // claude's tool; it refuses a bare `sleep`.
  Bash: (command) => ({ command: command.replace(/^sleep \d+$/, 'exec $&'), description: 'a command of the test' }),
  run_shell_command: (command) => ({ command, is_background: false }),
  bash: (command) => ({ command, description: 'a command of the test', mode: 'sync', initial_wait: 30 }),
};
