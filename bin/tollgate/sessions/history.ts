// Implements tollgate history: shows a conversation, with what was taken back of it.

import { redactorOf } from '../../../loops/redactor.ts';
import { type History, type Redoable, readHistory } from '../../../loops/session/history.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import type { Tool } from '../../../policies/facts/tools.ts';
import { type Opening, openingOf } from '../../../policies/prompt/opening.ts';
import { type Redactor, redactValue } from '../../../policies/redact/redactor.ts';
import type { Item, ShownTurn } from '../../../policies/session/conversation.ts';
import { counted, visible } from '../../../policies/text/display.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import { fitting, printing } from '../../printing.ts';
import { badInputOf, type Ran } from '../../ran.ts';
import { coloursOf } from '../../sheet.ts';
import { cutLine, wrapped } from '../../wrap.ts';
import { SESSION_WORD, styleOf, TOOL_FLAG, unreadable, whichSession } from './which-session.ts';

const SPEC: CommandSpec = {
  name: 'tollgate history',
  usage: 'SESSION [--last N | --all] [--full] [--tool T]',
  about:
    "Shows a conversation from its CLI's own session file. Removed turns are struck through, in their place, and numbered for tollgate undo --redo N; secrets are hidden.",
  flags: {
    last: { takes: 'number', min: 1, default: 20, about: 'how many turns, counted from the end' },
    all: { takes: 'nothing', about: 'all turns' },
    full: {
      takes: 'nothing',
      about: 'prompts in full, with the rules before the goal',
    },
    tool: TOOL_FLAG,
  },
  words: { min: 1, max: 1, called: SESSION_WORD },
  examples: [
    ['tollgate history login', 'the last 20 turns of the session with the tag login'],
    ['tollgate history 01a1ffb7 --all --json', 'all of it, for another program'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'shown'],
    [TOLLGATE_EXIT.badInput, 'no such session, more than one, or a file that cannot be read'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { args } = read;
  if (args.given.has('all') && args.given.has('last')) return invalid('--all and --last do not go together');
  const which = await whichSession(args);
  if (which.how === 'invalid') return invalid(which.message);
  let history: History;
  try {
    history = readHistory(which.store, which.session, process.env, args.given.has('all') ? null : args.number.last!);
  } catch (error) {
    return invalid(unreadable(error));
  }
  const redactor = redactorOf(process.env, []);
  if (args.given.has('json')) return { exit: 0, out: `${JSON.stringify(objectOf(history, redactor))}\n` };
  const prompts = args.given.has('full') ? 'full' : 'begun';
  return { exit: 0, out: renderHistory(history, { ...styleOf(), prompts, redactor }) };
}

/** What `--json` prints. */
export interface HistoryObject {
  schema: 1;
  tool: Tool;
  session_id: string;
  file: string;
  cli_version: string | null;
  turns_active: number;
  turns_reverted: number;
  notes: readonly string[];
  /** What `tollgate undo SESSION --redo N` brings back, the newest first. */
  redo: readonly Redoable[];
  turns: readonly ShownTurn[];
}

function objectOf({ session, turns, all, reverted, notes, redo }: History, { redact }: Redactor): HistoryObject {
  return {
    schema: 1,
    tool: session.tool,
    session_id: session.id,
    file: session.file,
    cli_version: session.cliVersion,
    turns_active: all - reverted,
    turns_reverted: reverted,
    notes,
    redo: redactValue(redo, redact) as typeof redo,
    turns: redactValue(turns, redact) as typeof turns,
  };
}

const invalid = badInputOf('tollgate history');

interface PageStyle {
  ink: 'colour' | 'plain';
  /** Columns. */
  width: number;
  isTerminal: boolean;
  /** A prompt that Tollgate composed has a hundred lines, and half of them are in every prompt. */
  prompts: 'begun' | 'full';
  redactor: Redactor;
}

function renderHistory(history: History, style: PageStyle): string {
  const { session, turns, all, reverted, notes, redo } = history;
  const { bold, dim } = coloursOf(style.ink);
  const shown = turns.length < all ? `; the last ${turns.length} of them` : '';
  const head = [
    `${bold(`${session.tool} ${session.id}`)}: ${counted(all - reverted, 'turn')}${reverted === 0 ? '' : ` and ${reverted} reverted`}${shown}`,
    dim(fitting(visible(session.file), printing('stdout'))),
    ...notes.map((note) => `note: ${visible(note)}`),
  ];
  const back = redo.map((one) => redoLine(one, style));
  const foot = back.length === 0 ? [] : ['', `Can be brought back with tollgate undo ${session.id} --redo N:`, ...back];
  return `${[...head, ...turns.flatMap((turn) => ['', ...linesOf(turn, style)]), ...foot].join('\n')}\n`;
}

function redoLine({ n, at, turns, last_prompt, takes_back, next }: Redoable, { redactor, width }: PageStyle): string {
  const turnCount = counted(turns, 'turn');
  const reverted =
    takes_back === 0 ? '' : `, in place of ${takes_back === 1 ? 'the last one' : `the last ${takes_back}`} now`;
  const mark = next ? ' (the next)' : '';
  const prompt = oneLine(visible(redactor.redactHead(last_prompt, Math.min(last_prompt.length, 200)).redacted));
  return cutLine(`  ${n}${mark}: ${turnCount}${reverted}, taken back ${timeWords(at)}; the last: ${prompt}`, width);
}

const MARK = '[ REVERTED ] ';

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
  const rows = [[title, colours.bold] satisfies Line, ...body].flatMap(([text, paint]) =>
    wrapped(text, style.isTerminal ? room : null)
      .split('\n')
      .map((line): Line => [line, paint]),
  );
  if (turn.state === 'active') return rows.map(([text, paint]) => paint(text));
  return rows.map(([text]) => `${colours.dim(MARK)}${text === '' ? '' : colours.dim(colours.strikethrough(text))}`);
}

function titleOf({ number, at, tokens }: ShownTurn): string {
  const time = at === null ? '' : `, ${timeWords(at)}`;
  return `Turn ${number}${time}${tokens === null ? '' : `, ${tokens.input} tokens in, ${tokens.output} out`}`;
}

/** As whole as the time zone needs. */
const timeWords = (at: string): string => fitting(visible(at.slice(0, 24)).replace(/\.\d+Z$/, 'Z'), printing('stdout'));

function promptLines({ prompt }: ShownTurn, style: PageStyle, { cyan, dim }: Colours): Line[] {
  const all = whole(prompt, style);
  const opening = style.prompts === 'full' ? null : openingOf(all.join('\n'));
  const lines = all.slice(opening?.lines ?? 0);
  const shown = style.prompts === 'full' || lines.length <= PROMPT_LINES + 1 ? lines.length : PROMPT_LINES;
  const begun = lines.slice(0, shown).map((line): Line => [`> ${line}`, cyan]);
  const hidden = lines.length - shown;
  return [
    ...(opening === null ? [] : [foldedLine(opening, style, dim)]),
    ...begun,
    ...(hidden === 0 ? [] : [[`  (${more(hidden)}; --full shows them)`, dim] as Line]),
  ];
}

const foldedLine = ({ lines, role }: Opening, style: PageStyle, dim: Paint): Line => [
  `  (rules and instructions for the role ${oneLine(head(role, 80, style))}: ${lines} lines; --full shows them)`,
  dim,
];

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
