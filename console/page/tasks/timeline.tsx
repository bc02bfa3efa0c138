// Draws the stages of a task over time: one lane for each stage, one bar for each attempt, waits hatched, gates as diamonds.

import { classWord } from '../../../policies/facts/classes.ts';
import { inPlaceWords } from '../../../policies/verdict/stand-ins.ts';
import type { StageShown, TaskShown } from '../../contract/task.ts';
import { counted, lacking, lasting, tokens } from '../parts/figures.ts';
import { Cost, StateMark } from '../parts/mark.tsx';
import { Limited, now } from '../parts/times.tsx';
import { useMemo } from '../reactive.ts';
import { Words } from '../text/words.tsx';

type Attempt = TaskShown['attempts'][number];

interface TimelineProps {
  of: TaskShown;
  /** The call_id of the attempt that is shown below. */
  chosen: string | null;
  onChoose: (callId: string) => void;
}

/** The stage of a supervised task that can ask the user. */
export const REASONER = 'reasoner';

/** The latest attempts of a stage; a bar is at least a few pixels wide. */
const MOST_BARS = 60;

export function Timeline({ of, chosen, onChoose }: TimelineProps) {
  const { stages, attempts, gates } = of;
  const isRunning = attempts.some(({ ending }) => ending === null);
  const until = isRunning ? now.value : Date.parse(of.at ?? '');
  const scale = useMemo(() => scaleOf(attempts, gates, until, isRunning), [attempts, gates, until]);
  return (
    <section class="panel timeline" aria-label="Timeline of the stages">
      <ol>
        {stages.map((stage) => {
          const own = attempts.filter((each) => each.stage === stage.stage).slice(-MOST_BARS);
          const asks = of.state === 'parked' && stage.stage === REASONER;
          const gate = gates.find((each) => each.stage === stage.stage);
          const hasPassed = ({ call_id: id }: Attempt) => gate?.passed !== false || gate.call_id !== id;
          return (
            <li key={stage.stage} class={own.length === 0 ? 'pending' : ''}>
              <StageName of={asks ? { ...stage, state: 'parked' } : stage} />
              <div class="lane">
                {own
                  .slice(1)
                  .map((attempt, nth) =>
                    isOfOneRun(attempt, own[nth]!) ? (
                      <Wait key={attempt.call_id} from={endOf(own[nth]!)} to={Date.parse(attempt.at)} {...scale} />
                    ) : (
                      <span
                        key={attempt.call_id}
                        class="run-begin"
                        style={{ insetInlineStart: percent(Date.parse(attempt.at), scale) }}
                        title="another run begins"
                      />
                    ),
                  )}
                {own.map((attempt) => (
                  <button
                    key={attempt.call_id}
                    type="button"
                    class={`attempt-bar ${asks && attempt === own.at(-1) ? 'waits' : hasPassed(attempt) ? toneOf(attempt) : 'bad'} ${attempt.tool === own[0]!.tool ? '' : 'other'} ${stage.state === 'done_earlier' ? 'over' : ''}`}
                    style={{ ...placeOf(Date.parse(attempt.at), endOf(attempt), scale), '--bars': own.length }}
                    aria-pressed={attempt.call_id === chosen}
                    title={titleOf(attempt, hasPassed(attempt))}
                    onClick={() => onChoose(attempt.call_id)}
                  >
                    {own.length > 1 && <span aria-hidden="true">{attempt.attempt}</span>}
                    <span class="unseen">{titleOf(attempt, hasPassed(attempt))}</span>
                  </button>
                ))}
                {gate && (
                  <span
                    class={`gate ${gate.passed ? 'good' : 'bad'}`}
                    style={{ insetInlineStart: gateAt(gate.at, own.at(-1), scale) }}
                    title={gate.passed ? 'The gate passed.' : 'The gate did not pass.'}
                  >
                    <span class="unseen">{gate.passed ? 'gate passed' : 'gate did not pass'}</span>
                  </span>
                )}
              </div>
              <Figures of={stage} running={own.find(({ ending }) => ending === null)} />
              <Tries of={own} />
            </li>
          );
        })}
      </ol>
      {attempts.length > 0 && (
        <>
          {(isRunning || attempts.some(({ ms }) => ms !== null)) && <Axis {...scale} />}
          <p class="legend dim">
            {timeWords(of, scale, isRunning)} {legendOf(of, scale)}
          </p>
        </>
      )}
    </section>
  );
}

/** The times below the lanes, from the start of the first attempt. */
function Axis({ first, end }: Scale) {
  const each = stepOf(end - first);
  const times = Array.from({ length: Math.floor((end - first) / each) + 1 }, (_, nth) => nth * each);
  return (
    <div class="axis" aria-hidden="true">
      <span class="lane">
        {times.map((time) => (
          <span key={time} style={{ left: `${(time / (end - first)) * 100}%` }}>
            {time === 0 ? '0' : each < 1_000 ? `${(time / 1_000).toFixed(1)} s` : lasting(time)}
          </span>
        ))}
      </span>
    </div>
  );
}

const STEPS_SEC = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400];
const MOST_TICKS = 5;

/** The milliseconds between two ticks; beyond the last step, a fifth of the time. */
const stepOf = (ms: number): number =>
  STEPS_SEC.map((sec) => sec * 1_000).find((step) => ms / step <= MOST_TICKS) ?? ms / MOST_TICKS;

/** What the marks mean that are shown. */
function legendOf({ attempts, stages, gates }: TaskShown, { first, end }: Scale): string {
  const repeated = attempts.flatMap((attempt, nth) => {
    const before = attempts.slice(0, nth).findLast(({ stage }) => stage === attempt.stage);
    return before === undefined ? [] : [isOfOneRun(before, attempt) ? 'retry' : 'run'];
  });
  const hasFallback = stages.some(({ stand_ins: standIns }) => standIns.length > 0);
  const marks = [
    'A bar is an attempt',
    ...(attempts.some(({ ms }) => ms !== null && ms < (end - first) * MARK) ? ['a short one is drawn wider'] : []),
    ...(repeated.includes('retry') ? ['a hatched part a wait'] : []),
    ...(repeated.includes('run') ? ['a vertical line the start of another run'] : []),
    ...(gates.length > 0 ? ['a diamond a gate'] : []),
    ...(hasFallback ? ['a pale bar a fallback CLI'] : []),
  ];
  return marks.length === 1 ? '' : `${marks.join(', ')}.`;
}

type Named = Pick<StageShown, 'stage' | 'tool' | 'account' | 'stand_ins'> & { state: string };

function StageName({ of: { stage, state, tool, account, stand_ins } }: { of: Named }) {
  return (
    <div class="lane-name">
      <b>
        <Words of={stage} />
      </b>
      <span class="dim">
        {tool}
        <Words of={inPlaceWords(stand_ins, account)} />
      </span>
      <StateMark state={state} />
    </div>
  );
}

interface FiguresProps {
  of: StageShown;
  running: Attempt | undefined;
}

/** What is not known is said once, at the head of the task. */
function Figures({ of: { attempts, ms, tokens: used, usd, unknown }, running }: FiguresProps) {
  if (attempts === 0) return <div class="lane-figures dim">not called yet</div>;
  return (
    <div class="lane-figures">
      <span>{counted(attempts, 'attempt')}</span>
      {running ? <Limited of={running} /> : ms !== null && <span>{lasting(ms)}</span>}
      {used !== null && <span title={lacking(unknown.tokens, 'tokens')}>{tokens(used, unknown.tokens)} tokens</span>}
      {usd !== null && <Cost usd={usd} without={unknown.usd} />}
    </div>
  );
}

/** How its calls failed, and why there is no further one. */
function Tries({ of }: { of: readonly Attempt[] }) {
  const last = of.at(-1);
  const failed = of.slice(0, -1).findLast(({ class: errorClass }) => errorClass !== null);
  const stopped = last?.class && last.decision?.action === 'stop' ? last.decision.why : null;
  if (stopped === null && failed === undefined) return null;
  return (
    <p class="dim">
      <Words of={stopped === null ? againWords(failed!, last!) : stopWords(stopped, of)} />
    </p>
  );
}

const againWords = (failed: Attempt, last: Attempt): string =>
  `Attempt ${failed.attempt} failed (${classWord(failed.class!)}). ${isOfOneRun(failed, last) ? 'The stage was called again.' : 'A later run called the stage again.'}`;

/** Each call without a run counts as one. */
const runsOf = (of: readonly Attempt[]): number => new Set(of.map(({ run_id: run, call_id: id }) => run ?? id)).size;

const isOfOneRun = (one: Attempt, other: Attempt): boolean => one.run_id !== null && one.run_id === other.run_id;

/** A retry is a further call within a run: that of a later run is none. */
function stopWords(why: string, of: readonly Attempt[]): string {
  const [tries, runs] = [of.length, runsOf(of)];
  const within = runs > 1 ? `Tried in ${runs} runs, ${counted(tries, 'call')} in all` : `Tried ${tries} times`;
  const times = tries === 1 ? 'Tried once' : within;
  const next = runs > 1 ? 'another call' : (['a second', 'a third'][tries - 1] ?? 'another');
  const said = why.replace(/^never retried: it would/, `${next} would`).replace(/^(?:never|not) retried/, 'no retry');
  return `${times}; ${said}.`;
}

/** How long the calls took, and all of it with the time between them. */
function timeWords({ attempts, left_running: isLeft }: TaskShown, { first, last }: Scale, isRunning: boolean): string {
  if (isRunning || isLeft) return '';
  if (attempts.some(({ ending }) => ending === 'lost')) return 'How long the interrupted call took is not known.';
  const work = attempts.reduce((sum, { ms }) => sum + (ms ?? 0), 0);
  const all = last - first;
  const runs = runsOf(attempts);
  if (runs > 1) return `${lasting(work)} of work in ${runs} runs.`;
  return all - work < 1_000 ? `${lasting(all)} in all.` : `${lasting(work)} of work, ${lasting(all)} with the waits.`;
}

interface Scale {
  first: number;
  last: number;
  /** Where the drawing ends, a little after the last mark. */
  end: number;
}

/** A single point is drawn in a time of this length. */
const SHORTEST_MS = 1_000;
/** The share of the width that a mark at the end needs. */
const MARK = 0.03;

/** The share of the width that stays open behind a bar that grows. */
const OPEN_END = 0.25;

function scaleOf(attempts: readonly Attempt[], gates: TaskShown['gates'], until: number, isRunning: boolean): Scale {
  const begins = attempts.map((attempt) => Date.parse(attempt.at)).filter((time) => !Number.isNaN(time));
  const first = begins.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  if (first === Number.POSITIVE_INFINITY) return { first: 0, last: 1, end: 1 };
  const ends = attempts.map(({ at: began, ms }) => Date.parse(began) + (ms ?? 0));
  const last = [...ends, until].reduce((most, time) => (time > most ? time : most), first + 1);
  const drawn = gates.reduce((most, { at }) => (Date.parse(at) > most ? Date.parse(at) : most), last) - first;
  const span = drawn < STEPS_SEC[0]! * 1_000 ? SHORTEST_MS : drawn;
  return { first, last, end: first + span * (1 + (isRunning ? OPEN_END : MARK)) };
}

/** An attempt that runs reaches to now. */
const endOf = ({ at, ms, ending }: Attempt): number =>
  ms !== null ? Date.parse(at) + ms : ending === null ? now.value : Date.parse(at);

const shareOf = (time: number, { first, end }: Scale): number =>
  Math.min(1, Math.max(0, ((Number.isNaN(time) ? first : time) - first) / (end - first)));

const percent = (time: number, scale: Scale): string => `${shareOf(time, scale) * 100}%`;

const placeOf = (from: number, to: number, scale: Scale): { left: string; width: string } => ({
  left: percent(from, scale),
  width: `${(shareOf(to, scale) - shareOf(from, scale)) * 100}%`,
});

/** Beside the last bar, which can be drawn wider than it is. */
const gateAt = (at: string, last: Attempt | undefined, scale: Scale): string =>
  `max(${percent(Date.parse(at), scale)}, ${percent(Date.parse(last?.at ?? at), scale)} + ${last ? '2.2rem' : '0px'})`;

function Wait({ from, to, ...scale }: Scale & { from: number; to: number }) {
  if (to - from < 1_000) return null;
  return <span class="wait" style={placeOf(from, to, scale)} title={`waited ${lasting(to - from)}`} />;
}

function toneOf({ ending, class: errorClass, reason }: Attempt): string {
  if (ending === null) return 'busy';
  if (reason === 'cancelled' || reason === 'interrupted') return 'waits';
  return errorClass === null ? 'good' : 'bad';
}

function titleOf({ stage, attempt, tool, ms, ending, class: errorClass, reason }: Attempt, hasPassed: boolean): string {
  const answered = hasPassed ? 'answered' : 'answered, but its gate did not pass';
  const failed = errorClass === null ? answered : `${classWord(errorClass)}, ${errorClass} (${reason})`;
  const how = ending === null ? 'running' : ending === 'lost' ? 'no result yet' : failed;
  return `${stage}, attempt ${attempt} by ${tool}: ${how}${ms === null ? '' : `, ${lasting(ms)}`}`;
}
