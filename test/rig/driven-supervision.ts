// Drives a supervision in this process: its real loop over a journal in memory, with free calls, struck at any point.

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { stageRunOf } from '../../loops/run/stages.ts';
import type { EndedRun } from '../../loops/run/write-report.ts';
import { superviseRun } from '../../loops/supervise/supervise.ts';
import {
  type Asking,
  interruptedBy,
  type PartRequest,
  type SuperviseCourse,
} from '../../loops/supervise/supervision-run.ts';
import type { Prompt } from '../../loops/task/prompt.ts';
import type { StageEnd, TaskRun } from '../../loops/task/stage-run.ts';
import type { OpenTask } from '../../loops/task/task.ts';
import type { Fact, JournalLine } from '../../state/journal/facts.ts';
import type { Journal } from '../../state/journal/journal.ts';
import { emptyLedger, fold } from '../../state/journal/ledger.ts';
import { leaveNote, notesFolder } from '../../state/supervise/texts.ts';
import { outputsOf } from '../../state/task-folder.ts';
import { type Said, SupervisionModel } from './supervision-model.ts';

/** `call` is lost together with its run; a call that outlives a `run` comes to its end. `note`: the user leaves a note. */
export type Strike = 'run' | 'call' | 'INT' | 'note' | 'note and run';

export class Killed extends Error {}

export interface Script {
  said: readonly Said[];
  /** By call of the worker; after the end it answers. */
  worked: readonly ('answers' | 'fails')[];
  /** By point: before and after each fact, and within each call. */
  strikes: ReadonlyMap<number, Strike>;
}

/** @param opened a task whose folder is used, but not its journal. */
export class DrivenSupervision {
  readonly model: SupervisionModel;
  readonly open: OpenTask;
  /** In order, by call. */
  readonly said: Said[];
  private readonly worked: ('answers' | 'fails')[];
  private readonly ledger = emptyLedger();
  private points = 0;
  private now = Date.UTC(2026, 0, 1);
  private notes = 0;
  private notesAt = '';
  private stop = new AbortController();

  constructor(
    opened: OpenTask,
    private readonly script: Script,
  ) {
    this.said = [...script.said];
    this.worked = [...script.worked];
    this.model = new SupervisionModel(opened.manifest.goal);
    mkdirSync(opened.task.outputs, { recursive: true });
    this.fold({ fact: 'budget', calls: 10_000, from: 'manifest' });
    this.open = { ...opened, journal: this.journal() };
  }

  /** Runs the task once. Throws Killed, and the model's objections. */
  run(task: Omit<TaskRun, 'open'>): Promise<EndedRun> {
    this.stop = new AbortController();
    this.notesAt = notesFolder(task.context.environment, this.open.stateFolder, this.open.task);
    const context = { ...task.context, stop: this.stop.signal, clock: () => this.clock() };
    const asking: Asking = { part: (course, _, asked) => this.part(course, asked), done: () => this.look() };
    return superviseRun({ ...task, open: this.open, context }, { begin: 'resume' }, asking);
  }

  /** Leaves a note as the user does. */
  async note(): Promise<void> {
    this.notes += 1;
    await leaveNote(this.notesAt, `say ${this.notes}`, this.clock());
  }

  /** Increases with each call. */
  private clock(): Date {
    this.now += 1;
    return new Date(this.now);
  }

  private journal(): Journal {
    const note = async (fact: Fact): Promise<void> => {
      await this.point();
      this.fold(fact);
      if (fact.fact === 'instructed') this.model.instructed();
      if (fact.fact === 'reasoned') this.model.reasoned();
      if (fact.fact === 'left') this.model.left(fact.how, this.stop.signal.aborted);
      await this.point();
    };
    const append = (fact: Fact): void => this.fold(fact);
    return { file: '', append, note, read: () => ({ ledger: this.ledger, offset: 0, torn: 0 }) };
  }

  private fold(fact: Fact): void {
    // In the form that a file contains.
    const line = JSON.parse(JSON.stringify({ v: 1, at: this.clock().toISOString(), ...fact })) as JournalLine;
    fold(this.ledger, line, this.points);
  }

  private async point(): Promise<Strike | null> {
    const strike = this.script.strikes.get(this.points) ?? null;
    this.points += 1;
    if (strike?.startsWith('note')) await this.note();
    if (strike === 'INT') this.stop.abort('SIGINT');
    if (strike?.endsWith('run')) throw new Killed();
    return strike === 'call' ? strike : null;
  }

  private async part(course: SuperviseCourse, asked: PartRequest) {
    const { part, iteration, supervision, text } = asked;
    const run = stageRunOf(course.task, course.plans[part], null);
    if (this.stop.signal.aborted) return interruptedBy('stopped before its call');
    const identity = `${supervision} ${iteration} ${part}`;
    const prompt = { sha256: createHash('sha256').update(identity).digest('hex') } as Prompt;
    const before = asked.before?.(run, prompt) ?? null;
    if (before !== null) return before;
    const paid = [...this.ledger.calls.values()].findLast(
      ({ reserved, verdict }) => reserved.for_prompt === prompt.sha256 && verdict !== null && verdict.class === null,
    );
    const end = paid === undefined ? await this.pay(part, text, prompt.sha256) : answered(paid.reserved.call_id);
    return (await asked.after({ run, prompt, end })).step;
  }

  private async pay(part: 'worker' | 'reasoner', text: string, for_prompt: string): Promise<StageEnd> {
    await this.point();
    if (this.stop.signal.aborted) return CANCELLED;
    const noted = this.ledger.supervised.flatMap((fact) => (fact.fact === 'noted' ? [fact.text] : []));
    this.model.begins(
      { part, text },
      noted.map((sha256) => this.notedText(sha256)),
    );
    const call_id = `call-${this.ledger.calls.size}`;
    const { tool } = this.open.plans.find(({ stage }) => stage.name === part)!.stage;
    const owner = { pid: 1, started: '1', boot: 'b' } as never;
    const terms = { call_id, run_id: 'r', stage: part, tool, attempt: 1, for_prompt, guardian: owner };
    this.fold({ fact: 'reserved', ...terms, deadline_at: this.clock().toISOString() });
    const verdict = (errorClass: 'auth' | 'tooling' | null, reason: string | null): void =>
      this.fold({ fact: 'verdict', call_id, class: errorClass, reason, signature: null, retry_at: null, exit_code: 0 });
    const strike = await this.point().catch((killed) => killed as Killed);
    if (strike === 'call' || (strike === null && this.stop.signal.aborted)) {
      verdict('tooling', strike === 'call' ? 'interrupted' : 'cancelled');
      if (strike === 'call') throw new Killed();
      return CANCELLED;
    }
    const isAnswered = part === 'worker' ? this.work() : this.reason(text);
    verdict(isAnswered ? null : 'auth', isAnswered ? null : 'http_401');
    if (strike instanceof Killed) throw strike;
    await this.point();
    return isAnswered ? answered(call_id) : failed(call_id, part);
  }

  private notedText(sha256: string): string {
    for (let n = 1; n <= this.notes; n += 1)
      if (createHash('sha256').update(`say ${n}`).digest('hex') === sha256) return `say ${n}`;
    throw new Error(`nobody said ${sha256}`);
  }

  private work(): boolean {
    const isAnswered = this.worked.shift() !== 'fails';
    this.model.worked(isAnswered);
    return isAnswered;
  }

  private reason(text: string): boolean {
    const said = this.said.shift() ?? { how: 'believed' };
    this.model.said(said, text);
    this.looks = said.how === 'refused' ? ['npm test failed'] : [];
    if (said.how === 'fails') return false;
    const { stage } = this.open.plans.find((plan) => plan.stage.name === 'reasoner')!;
    writeFileSync(outputsOf(this.open.task, stage).out, answerTextOf(said));
    return true;
  }

  private looks: string[] = [];

  private async look(): Promise<string[] | 'stopped'> {
    await this.point();
    return this.stop.signal.aborted ? 'stopped' : this.looks;
  }
}

const END = { gate: null, calls: 1, warnings: [] };
const CANCELLED: StageEnd = { ...END, how: 'interrupted', record: null, retry_at: null };
const answered = (call_id: string): StageEnd => ({ ...END, how: 'done', record: { call_id } as never });
const failed = (call_id: string, stage: string): StageEnd => ({
  ...END,
  how: 'failed',
  record: { call_id } as never,
  failure: {
    stage,
    class: 'auth',
    reason: 'http_401',
    evidence: null,
    decision: { why: 'no' },
    next_actions: [],
  } as never,
});

function answerTextOf(said: Said): string {
  switch (said.how) {
    case 'garbage':
      return said.raw;
    case 'continue':
      return JSON.stringify({ action: 'continue', instruction: said.instruction });
    case 'ask':
      return `Here you are:\n\`\`\`json\n${JSON.stringify({ action: 'ask', question: said.question })}\n\`\`\`\n`;
    case 'save_session':
      return JSON.stringify({ action: 'save_session', why: 'later' });
    case 'no_op':
      return '{"action":"no_op"}';
    default:
      return JSON.stringify({ action: 'done', summary: 'all of it' });
  }
}
