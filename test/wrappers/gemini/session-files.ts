// Session files of gemini for tests: opened from a text, and again once an edit was applied to it.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GEMINI_SESSIONS } from '../../../wrappers/gemini/sessions/store.ts';
import type { Conversation, Edit } from '../../../wrappers/sessions/store.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../sessions/gemini');

/** By name. */
export const FIXTURES: Record<string, string> = Object.fromEntries(
  readdirSync(FOLDER).map((name) => [name, readFileSync(path.join(FOLDER, name), 'utf8')]),
);

export const readFixture = (name: string): Conversation => openFile(path.join(FOLDER, name));

export function openText(text: string, file = path.join(scratch(), 'session-a.jsonl')): Conversation {
  writeFileSync(file, text);
  return openFile(file);
}

export function applied(name: string, edit: Edit): Conversation {
  const text = FIXTURES[name]!;
  const file = path.join(scratch(), name);
  return openText(textAfter(text, edit), file);
}

export function textAfter(text: string, edit: Edit): string {
  if (edit.how === 'append') return text + edit.text;
  if (edit.how === 'replace') return edit.text;
  if (edit.how === 'cut') return Buffer.from(text).subarray(0, edit.atByte).toString();
  return text;
}

function openFile(file: string): Conversation {
  const { size, mtimeMs } = statSync(file);
  const session = { id: 'a', file, cwd: null, cliVersion: null, bytes: size, changedAtMs: mtimeMs };
  return GEMINI_SESSIONS.open({ tool: 'gemini', ...session });
}

/** The folder goes when the test process ends, since a conversation is read lazily. */
export function scratch(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gemini-sessions-'));
  folders.push(folder);
  return folder;
}

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
