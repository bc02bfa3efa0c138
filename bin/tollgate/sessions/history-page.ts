// Renders a conversation for users; what was taken back is struck through.

import type { History, Redoable } from '../../../loops/session/history.ts';
import type { Redactor } from '../../../policies/redact/redactor.ts';
import type { Item, ShownTurn } from '../../../policies/session/conversation.ts';
import { visible } from '../../../policies/text/display.ts';
import { coloursOf } from '../../sheet.ts';
import { cutLine } from '../../table.ts';

interface PageStyle {
  ink: 'colour' | 'plain';
  /** Columns. */
  width: number;
  /** A prompt that Tollgate composed has a hundred lines, and most of them are in every prompt. */
  prompts: 'begun' | 'full';
  redactor: Redactor;
}

export function renderHistory(history: History, style: PageStyle): string {
  const { session, turns, all, reverted, notes, redo } = history;
  const { bold, dim } = coloursOf(style.ink);
  const shown = turns.length < all ? `; the last ${turns.length} of them` : '';
  const head = [
    `${bold(`${session.tool} ${session.id}`)}: ${all - reverted} ${all - reverted === 1 ? 'turn' : 'turns'}${reverted === 0 ? '' : ` and ${reverted} reverted`}${shown}`,
    dim(visible(session.file)),
    ...notes.map((note) => `note: ${visible(note)}`),
  ];
  const back = redo.map((one) => redoLine(one, style));
  const foot = back.length === 0 ? [] : ['', `Can be brought back with tollgate undo ${session.id} --redo N:`, ...back];
  return `${[...head, ...turns.flatMap((turn) => ['', ...linesOf(turn, style)]), ...foot].join('\n')}\n`;
}

function redoLine({ n, at, turns, last_prompt, takes_back, next }: Redoable, { redactor, width }: PageStyle): string {
  const turnCount = `${turns} ${turns === 1 ? 'turn' : 'turns'}`;
  const reverted =
    takes_back === 0 ? '' : `, in place of ${takes_back === 1 ? 'the last one' : `the last ${takes_back}`} now`;
  const mark = next ? ' (the next)' : '';
  const prompt = oneLine(visible(redactor.redactHead(last_prompt, Math.min(last_prompt.length, 200)).redacted));
  return cutLine(
    `  ${n}${mark}: ${turnCount}${reverted}, taken back ${at.slice(0, 19).replace('T', ' ')}; the last: ${prompt}`,
    width,
  );
}

const MARK = '[ REVERTED ] ';
/** The most lines of a tool's output. */
const OUTPUT_LINES = 5;

type Colours = ReturnType<typeof coloursOf>;
type Paint = (text: string) => string;
/** A line, and how it is shown while it is active. */
type Line = [text: string, paint: Paint];

function linesOf(turn: ShownTurn, style: PageStyle): string[] {
  const colours = coloursOf(style.ink);
  const room = Math.max(20, style.width - (turn.state === 'reverted' ? MARK.length : 0));
  const body = [
    ...(turn.part === 'whole' ? promptLines(turn, style, colours) : []),
    ...turn.items.flatMap((item) => itemLines(item, room, style, colours)),
  ];
  const title = turn.part === 'whole' ? titleOf(turn) : `Turn ${turn.number}, its answer`;
  const rows: Line[] = [[title, colours.bold], ...body];
  if (turn.state === 'active') return rows.map(([text, paint]) => paint(text));
  return rows.map(([text]) => `${colours.dim(MARK)}${text === '' ? '' : colours.dim(colours.strikethrough(text))}`);
}

function titleOf({ number, at, tokens }: ShownTurn): string {
  const time = at === null ? '' : `, ${at.slice(0, 19).replace('T', ' ')}`;
  return `Turn ${number}${time}${tokens === null ? '' : `, ${tokens.input} tokens in, ${tokens.output} out`}`;
}

function promptLines({ prompt }: ShownTurn, style: PageStyle, { cyan, dim }: Colours): Line[] {
  const lines = whole(prompt, style);
  const shown = style.prompts === 'full' || lines.length <= PROMPT_LINES + 1 ? lines.length : PROMPT_LINES;
  const begun = lines.slice(0, shown).map((line): Line => [`> ${line}`, cyan]);
  const hidden = lines.length - shown;
  return hidden === 0 ? begun : [...begun, [`  (${more(hidden)}; --full shows them)`, dim]];
}

const PROMPT_LINES = 15;

function itemLines(item: Item, room: number, style: PageStyle, { dim, red, yellow }: Colours): Line[] {
  const plain: Paint = (text) => text;
  switch (item.how) {
    case 'said':
      return whole(item.text, style).map((line) => [line, plain]);
    case 'thought':
      return whole(item.text, style).map((line) => [`  ${line}`, dim]);
    case 'noted':
      return whole(item.text, style).map((line) => [`  (${line})`, dim]);
    case 'called':
      return [[cutLine(`  -> ${oneLine(`${item.name} ${head(item.input, room, style)}`)}`, room), yellow]];
    case 'responded':
      return outputLines(item.output, room, style).map((line) => [line, item.failed ? red : dim]);
  }
}

const whole = (text: string, { redactor }: PageStyle): string[] => visible(redactor.redact(text)).trimEnd().split('\n');

/** Redacts only as much as can be shown, not megabytes. */
const head = (text: string, chars: number, { redactor }: PageStyle): string =>
  visible(redactor.redactHead(text, Math.min(text.length, chars)).redacted);

function outputLines(output: string, room: number, style: PageStyle): string[] {
  const lines = head(output, room * OUTPUT_LINES, style)
    .trimEnd()
    .split('\n');
  const shown = lines.slice(0, OUTPUT_LINES).map((line, i) => cutLine(`${i === 0 ? '  <- ' : '     '}${line}`, room));
  const all = output.trimEnd().split('\n').length;
  return all > shown.length ? [...shown, `     (${more(all - shown.length)})`] : shown;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trimEnd();

const more = (lines: number): string => (lines === 1 ? '1 more line' : `${lines} more lines`);
