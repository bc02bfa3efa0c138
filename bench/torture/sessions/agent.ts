// Plays the agent of a round with sessions: keeps its conversation and folder as its CLI does, and runs its tool once per token.

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BuiltIn } from '../../../policies/facts/tools.ts';
import type { Turn } from '../../../policies/session/conversation.ts';
import { type MadeTurn, makeSession, sessionFile } from '../../../test/rig/session-files.ts';
import { STREAMS, type Stream } from '../../../test/rig/streams.ts';
import { STORES } from '../../../wrappers/sessions/stores.ts';
import type { SessionBehaviour } from './plan.ts';

const REFUSED: Record<BuiltIn, string> = {
  gemini:
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
  codex: 'No tool output found for function call call_1.',
  copilot: 'No tool output found for function call call_1.',
  claude: 'API Error: 400 due to tool use concurrency issues.',
};
const BUSY = 'The model is overloaded. Please try again later.';
const TOKEN = /TOKEN-[a-z]+/g;

async function answer(tool: BuiltIn, words: string[]): Promise<void> {
  if (words[0] === '--version') return;
  const prompt = readFileSync(0, 'utf8');
  const how = behaviour();
  const home = process.env.HOME!;
  const resumed = resumedIn(tool, words);
  const id = resumed ?? flagIn('--session-id', words) ?? newId();
  const { opens, says, runsTool, succeeds, fails }: Stream = STREAMS[tool];
  const say = (lines: readonly string[]) => process.stdout.write(`${lines.join('\n')}\n`);

  const lookup = { environment: process.env, cwd: process.cwd() };
  const found = resumed === null ? null : await STORES[tool].find(id, lookup);
  const isStrange = tool === 'gemini' && found !== null && found.cwd !== process.cwd();
  if (resumed !== null && (found === null || isStrange)) {
    process.stderr.write(`Error resuming session: No previous sessions found for this project.\n`);
    process.exit(tool === 'gemini' ? 42 : 1);
  }
  const cwd = workingFolder(tool, words, found?.cwd ?? null);
  const opened = found === null ? null : STORES[tool].open(found);
  const before = opened === null ? [] : opened.read(1, opened.turns).map(madeTurn);
  const keep = (turn: MadeTurn) => {
    makeSession(tool, { home, project: cwd }, [...before, turn], id);
    if (tool === 'copilot')
      writeFileSync(path.join(path.dirname(sessionFile(tool, home, id)), 'workspace.yaml'), `cwd: ${cwd}\n`);
  };
  const refuse = (message: string, status: number): void => {
    say(fails(message, status, id));
    process.exitCode = 1;
  };

  say(opens(id));
  keep({ prompt });
  if (how === 'refused_first') return refuse(REFUSED[tool], 400);
  const token = [...before.map((turn) => turn.prompt), prompt].join('\n').match(TOKEN)?.at(-1) ?? 'none';
  let turn: MadeTurn = { prompt };
  if (!before.some((one) => one.tool?.output.includes(token))) {
    appendFileSync(path.join(cwd, 'trace'), `${token}\n`);
    turn = { ...turn, tool: { name: 'shell', input: { command: 'work' }, output: `did ${token}` } };
    keep(turn);
    say(runsTool(`did ${token}`));
  }
  if (how === 'refused') return refuse(REFUSED[tool], 400);
  if (how === 'busy') return refuse(BUSY, 503);
  if (how === 'dies') process.kill(process.pid, 'SIGKILL');
  keep({ ...turn, answer: `the answer of ${token}` });
  say([...says(`the answer of ${token}`), ...succeeds(id)]);
}

/** The behaviour of this turn among all calls of the round; after the end each call answers. */
function behaviour(): SessionBehaviour {
  const seen = process.env.TORTURE_SEEN!;
  appendFileSync(seen, 'begun\n');
  const n = readFileSync(seen, 'utf8').split('\n').length - 2;
  return ((process.env.TORTURE_SCRIPT ?? '').split(' ')[n] || 'done') as SessionBehaviour;
}

function resumedIn(tool: BuiltIn, words: readonly string[]): string | null {
  if (tool !== 'codex') return flagIn('--resume', words);
  return words.includes('resume') ? (words.find((word) => UUID.test(word)) ?? null) : null;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** As `FLAG=VALUE` or `FLAG VALUE`. */
function flagIn(flag: string, words: readonly string[]): string | null {
  const at = words.findIndex((word) => word.split('=')[0] === flag);
  return at === -1 ? null : (words[at]!.split('=')[1] ?? words[at + 1]!);
}

const newId = (): string => `01a20304-0000-7000-8000-${String(process.pid).padStart(12, '0')}`;

/** copilot works in the folder of its last session, unless a flag names another folder. */
function workingFolder(tool: BuiltIn, words: readonly string[], last: string | null): string {
  if (tool !== 'copilot') return process.cwd();
  const told = words.includes('-C') ? words[words.indexOf('-C') + 1]! : null;
  const cwd = told ?? (last !== null && existsSync(last) ? last : process.cwd());
  mkdirSync(cwd, { recursive: true });
  return cwd;
}

function madeTurn({ prompt, items }: Turn): MadeTurn {
  const ran = items.find((item) => item.how === 'responded');
  const said = items.findLast((item) => item.how === 'said');
  return {
    prompt,
    ...(ran?.how === 'responded' ? { tool: { name: 'shell', input: { command: 'work' }, output: ran.output } } : {}),
    ...(said?.how === 'said' ? { answer: said.text } : {}),
  };
}

void answer(path.basename(process.argv[1]!) as BuiltIn, process.argv.slice(2));
