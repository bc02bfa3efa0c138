// Next actions with their commands as this run was started: they work as they are printed.

import { shellWord } from '../text/shell-word.ts';

export interface CommandCalled {
  /** `tollgate`, or what starts it where that is not on the PATH. */
  launcher: string;
  /** The task as it was named: an id, or a path. */
  word: string;
  /** With `--trust-workspace`. */
  trusts: boolean;
}

/** @param id of the task, by which the lines name it. */
export function asCalled(lines: readonly string[], id: string, { launcher, word, trusts }: CommandCalled): string[] {
  const named = new RegExp(`\\btollgate (${WITH_TASK}) ${escaped(id)}(?![\\w.-])( --trust-workspace)?`, 'g');
  const begun = launcher === 'tollgate' ? null : launcher;
  return lines.map((line) => {
    const whole = line.replace(named, (_, command: string, said = '') => {
      const needs = trusts && (command === 'run' || command === 'supervise');
      return `tollgate ${command} ${shellWord(word)}${needs ? ' --trust-workspace' : said}`;
    });
    if (begun === null) return whole;
    const first = begun.replace(/tollgate$/, 'preflight');
    return whole
      .replace(/\btollgate (?=[a-z]+ )/g, `${begun} `)
      .replace(/(^|[:;(`] ?)preflight (?=--)/g, (_, before: string) => `${before}${first} `);
  });
}

const WITH_TASK = 'run|supervise|budget|answer|explain|status|logs|archive|scope';

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
