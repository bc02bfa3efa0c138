// Plays one distilled round: the service fails, the command is killed, stopped and paused, and gone on with until the book is complete.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type DocumentApi, startDocumentApi } from '../../../test/rig/document-api.ts';
import { sectionText } from '../../../test/rig/model-api/documents/answers.ts';
import { endSurvivors, findSurvivors } from '../../../test/rig/survivors.ts';
import { type Started, start } from '../command.ts';
import { checkAsked, checkDocument, type DistillKill, type DistillViolation } from './invariants.ts';
import { type DistillPlan, type DistillStrike, distillPlanOf, misfortunes } from './plan.ts';

export interface DistillRound {
  plan: DistillPlan;
  asked: number;
  faults: number;
  starts: number;
  killed: number;
  violations: DistillViolation[];
  root: string;
}

/** More than strikes and pauses can ask for. */
const MAX_STARTS = 60;
const NAME = 'book';
const BOOK = { endMarker: '<end_of_book>', modelVersion: 'gemini-2.5-pro', characters: 400 };

export async function playDistillRound(seed: number, n: number): Promise<DistillRound> {
  const plan = distillPlanOf(seed, n);
  const faultOf = misfortunes(seed, n);
  const root = mkdtempSync(path.join(tmpdir(), `torture-distill-${n}-`));
  let onAsk = () => {};
  const api = await startDocumentApi({
    ...{ ...BOOK, sections: plan.sections, workMs: plan.workMs, looks: -1 },
    choose: ({ kind }) => {
      if (kind === 'ask') onAsk();
      return faultOf(kind);
    },
  });
  const { project, env } = worldIn(root, api);
  const command = (...words: string[]) => start('tollgate', ['distill', ...words], project, env, 60_000);
  const folder = path.join(project, '.tmp/distill', NAME);
  const violations: DistillViolation[] = [];
  const kills: DistillKill[] = [];
  let [starts, killed] = [0, 0];
  let code: number | null = null;
  let last = '';
  for (; starts < MAX_STARTS && code !== 0; starts += 1) {
    // A refused key or a held answer ends it; what is asked for again is then another answer.
    const running = existsSync(path.join(folder, 'run.json'))
      ? command('resume', NAME, '--auto-wait', '5s', '--json')
      : command(
          'book.txt',
          '--prompt',
          'prompt.md',
          '--name',
          NAME,
          '--model',
          'gemini-2.5-pro',
          '--auto-wait',
          '5s',
          '--json',
        );
    const strike = plan.strikes[starts];
    const others: Promise<unknown>[] = [];
    if (strike !== undefined)
      await comes(strike, running, (heard) => {
        onAsk = heard;
      });
    if (strike !== undefined && !running.over()) {
      if (strike.how === 'expire') api.files.expire();
      else if (strike.how === 'second') others.push(command('resume', NAME, '--json').ended);
      else if (strike.how === 'pause' || strike.how === 'stop') others.push(command(strike.how, NAME).ended);
      else for (const pid of await running.find('dispatcher')) killed += signal(pid, strike.how);
    }
    const ended = await running.ended;
    await Promise.all(others);
    ({ code } = ended);
    last = `${ended.stdout.slice(-1500)}${ended.stderr.slice(-1500)}`;
    if (ended.signal !== null || strike?.how === 'term') {
      kills.push({ requests: api.requests().length, kept: keptIn(folder, plan.sections) });
      const { code, stderr } = await command('status', NAME, '--json').ended;
      if (code !== 0 && existsSync(path.join(folder, 'run.json')))
        violations.push({ what: 'unreadable', why: `status ended with ${code}: ${stderr.slice(-500)}` });
    }
    if (code === 70) violations.push({ what: 'unreadable', why: `a bug of ours: ${last}` });
  }
  if (code !== 0) violations.push({ what: 'undone', why: `its last run ended with ${code}: ${last}` });
  const texts = Array.from({ length: plan.sections }, (_, i) => textOf(i + 1, plan.sections));
  if (code === 0) violations.push(...checkDocument(readFileSync(path.join(folder, `${NAME}.md`), 'utf8'), texts));
  violations.push(...checkAsked(api.requests(), kills), ...booked(folder, api));
  for (const { pid } of await findSurvivors(`TORTURE_ROUND=${path.basename(root)}`))
    violations.push({ what: 'running', why: `process ${pid} still runs` });
  await endSurvivors(`TORTURE_ROUND=${path.basename(root)}`);
  await api.close();
  const requests = api.requests();
  writeFileSync(
    path.join(root, 'requests.json'),
    JSON.stringify(
      {
        kills,
        requests: requests.map(({ turn, ...request }) => ({ ...request, section: turn?.section, whole: turn?.whole })),
      },
      null,
      1,
    ),
  );
  if (violations.length === 0) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  const faults = requests.filter(({ fault }) => fault !== null).length;
  return { plan, asked: requests.filter(({ turn }) => turn !== null).length, faults, starts, killed, violations, root };
}

/** Resolves when it is time for the strike, or there is nobody left to be struck. */
function comes({ after }: DistillStrike, running: Started, listen: (heard: () => void) => void): Promise<unknown> {
  const due = new Promise<void>((resolve) => {
    let asks = 0;
    if (!('ask' in after)) setTimeout(resolve, after.ms);
    else
      listen(() => {
        asks += 1;
        if (asks === after.ask) setTimeout(resolve, after.ms);
      });
  });
  return Promise.race([due, running.ended]);
}

function worldIn(root: string, { url }: DocumentApi) {
  const at = (name: string) => path.join(root, name);
  for (const name of ['home', 'tmp', 'project']) mkdirSync(at(name), { recursive: true });
  writeFileSync(at('project/book.txt'), 'It is a truth universally acknowledged.\n'.repeat(50));
  writeFileSync(at('project/prompt.md'), 'Distil the book, section by section.\n');
  const env = {
    PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: at('home'),
    TMPDIR: at('tmp'),
    TORTURE_ROUND: path.basename(root),
    GEMINI_API_KEY: 'test-key',
    GOOGLE_GEMINI_BASE_URL: url,
    NO_COLOR: '1',
  };
  return { project: at('project'), env };
}

const textOf = (number: number, sections: number): string =>
  sectionText({ ...BOOK, sections }, number)
    .replace(BOOK.endMarker, '')
    .trim();

/** Sections whose own text lies whole in `turns/`. */
function keptIn(folder: string, sections: number): number[] {
  const turns = path.join(folder, 'turns');
  const texts = (existsSync(turns) ? readdirSync(turns) : [])
    .filter((name) => /^\d+\.json$/.test(name))
    .map((name) => readFileSync(path.join(turns, name), 'utf8'))
    .map(
      (text) =>
        JSON.parse(text) as {
          section: number;
          answer: { text: string; modelVersion: string | null; finishReason: string | null };
        },
    );
  return texts
    .filter(({ section, answer }) => answer.text.replace(BOOK.endMarker, '').trim() === textOf(section, sections))
    .filter(({ answer }) => answer.modelVersion === BOOK.modelVersion && answer.finishReason === 'STOP')
    .map(({ section }) => section);
}

/** Each turn that was paid for had been reserved before. */
function booked(folder: string, api: DocumentApi): DistillViolation[] {
  const journal = path.join(folder, 'state/journal.jsonl');
  const lines = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n') : [];
  const reserved = lines.filter((line) => line.includes('"fact":"reserved"')).length;
  const paid = api.paid().length;
  return reserved >= paid ? [] : [{ what: 'unbooked', why: `${paid} turns were paid for, and ${reserved} reserved` }];
}

/** @returns 0 where it had ended by itself by then. */
function signal(pid: number, how: 'kill' | 'term'): number {
  try {
    process.kill(pid, how === 'kill' ? 'SIGKILL' : 'SIGTERM');
    return 1;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 0;
    throw error;
  }
}
