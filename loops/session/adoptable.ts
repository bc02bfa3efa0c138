// The sessions of the last 7 days that could be taken on: as gemini lists them itself, and of the others from their files.

import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { readRegular } from '../../state/disk/regular-file.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { findBinary } from '../../wrappers/find-binary.ts';
import { isWithinAWeek, readListed } from '../../wrappers/gemini/sessions/listed.ts';
import { redactorOf } from '../redactor.ts';
import { quietly } from './own-files.ts';

export interface Adoptable {
  tool: Tool;
  id: string;
  /** In words, or an ISO time. */
  when: string;
  title: string;
}

export interface AdoptableAsking {
  cwd: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
}

/** Sessions with redacted titles, and a sentence for each tool whose list cannot be had. */
export async function listAdoptable(asking: AdoptableAsking, tools: readonly Tool[], say: (sentence: string) => void) {
  const sessions: Adoptable[] = [];
  const problems: string[] = [];
  for (const tool of tools) {
    const listed = tool === 'gemini' ? askGemini(asking, say) : await fromFiles(asking, tool);
    if (typeof listed === 'string') problems.push(listed);
    else sessions.push(...listed);
  }
  const { redact } = redactorOf(asking.environment, []);
  return { sessions: sessions.map((session) => ({ ...session, title: redact(session.title) })), problems };
}

const WEEK_MS = 7 * 86_400_000;

async function fromFiles({ cwd, environment, clock }: AdoptableAsking, tool: Tool): Promise<Adoptable[]> {
  const store = await ADAPTERS[tool].sessions();
  const since = new Date(clock().getTime() - WEEK_MS);
  const recent = (await quietly(() => store.recent({ environment, cwd }, since))) ?? [];
  const listed: Adoptable[] = [];
  for (const session of recent) {
    const title = (await quietly(() => store.firstPrompt(session))) ?? '';
    listed.push({ tool, id: session.id, when: new Date(session.changedAtMs).toISOString(), title });
  }
  return listed;
}

const LONGEST_MS = 60_000;

/** What is wrong, as a sentence. It may ask its model for titles. */
function askGemini({ cwd, environment }: AdoptableAsking, say: (sentence: string) => void): Adoptable[] | string {
  const binary = findBinary(ADAPTERS.gemini.binary, environment.PATH);
  if (binary === null) return 'gemini is not on the PATH';
  say('asking gemini for its sessions; for their titles it may make a paid call');
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-sessions-'));
  const file = path.join(folder, 'stdout');
  // It cuts its output at a pipe.
  const stdout = openSync(file, 'w', 0o600);
  try {
    const { status, error } = spawnSync(binary, ['--list-sessions'], {
      cwd,
      // Where its own report of a failure lands, with whole conversations.
      env: { ...environment, TMPDIR: folder, GEMINI_CLI_NO_RELAUNCH: 'true', NO_COLOR: '1' },
      stdio: ['ignore', stdout, 'ignore'],
      timeout: LONGEST_MS,
      killSignal: 'SIGKILL',
    });
    if (error !== undefined || status !== 0)
      return `gemini --list-sessions ended with ${error?.message ?? `exit code ${status}`}`;
    const listed = readListed(readRegular(file));
    if (listed.how === 'not_understood') return `the list of gemini --list-sessions is not understood: ${listed.why}`;
    return listed.rows
      .filter(({ when, current }) => current || isWithinAWeek(when))
      .map(({ id, when, title }) => ({ tool: 'gemini', id, when, title }));
  } finally {
    closeSync(stdout);
    rmSync(folder, { recursive: true, force: true });
  }
}
