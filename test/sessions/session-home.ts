// A home with session files of the CLIs in it, and a way to carry out what a store says is to be changed.

import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ShownTurn, Turn } from '../../policies/session/conversation.ts';
import type { Edit, Lookup } from '../../wrappers/sessions/store.ts';

export const CODEX_ID = '01a20304-7e2d-75a3-9e6c-51aae276371a';
export const COPILOT_ID = 'cb7cff55-1151-4cc1-bae4-424c15bd6841';
export const CLAUDE_ID = '7b1c9d2e-4f3a-4c5b-8d6e-9f0a1b2c3d4e';

export class SessionHome {
  readonly root = mkdtempSync(path.join(tmpdir(), 'sessions-'));
  readonly lookup: Lookup = { environment: { HOME: this.root }, cwd: '/work' };

  /** @param text of the file, or its lines. */
  write(name: string, text: string | Buffer | readonly string[]): string {
    const file = path.join(this.root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, Array.isArray(text) ? text.map((line) => `${line}\n`).join('') : (text as string | Buffer));
    return file;
  }

  rollout(text: string | Buffer | readonly string[], id = CODEX_ID, day = '2026/01/02'): string {
    return this.write(`.codex/sessions/${day}/rollout-${day.replaceAll('/', '-')}T03-04-05-${id}.jsonl`, text);
  }

  events(text: string | Buffer | readonly string[], id = COPILOT_ID): string {
    return this.write(`.copilot/session-state/${id}/events.jsonl`, text);
  }

  transcript(text: string | Buffer | readonly string[], id = CLAUDE_ID, folder = '-work'): string {
    return this.write(`.claude/projects/${folder}/${id}.jsonl`, text);
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** The lines of one of the files beside this one. */
export const linesOf = (name: string): string[] =>
  readFileSync(path.join(import.meta.dirname, name), 'utf8')
    .split('\n')
    .slice(0, -1);

/** Writes what an edit says. */
export function apply(file: string, edit: Edit): void {
  if (edit.how === 'append') appendFileSync(file, edit.text);
  else if (edit.how === 'cut') truncateSync(file, edit.atByte);
  else if (edit.how === 'replace') writeFileSync(file, edit.text);
  else if (edit.how === 'impossible') throw new Error(edit.why);
}

/** A conversation at a glance, a line for each turn: `ONE: called responded "CANNED-ANSWER 42"`. */
export const sketch = (turns: readonly (Turn | ShownTurn)[]): string[] =>
  turns.map(({ prompt, items }) =>
    [`${prompt}:`, ...items.map((item) => (item.how === 'said' ? JSON.stringify(item.text) : item.how))].join(' '),
  );
