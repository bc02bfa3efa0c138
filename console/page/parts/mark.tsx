// Shows a state, the class of a failure and a cost as words; a state has an icon and a colour of the same meaning.

import { classWord } from '../../../policies/facts/classes.ts';
import type { NowTask } from '../../contract/overviews.ts';
import type { TaskLine } from '../../contract/page.ts';
import type { StageShown } from '../../contract/task.ts';
import { count, counted, money, NO_PRICE } from './figures.ts';
import { Icon, type IconName } from './icon.tsx';

type Tone = 'good' | 'bad' | 'wait' | 'busy' | 'calm';

interface Look {
  word: string;
  tone: Tone;
  icon: IconName;
}

/** All states of tasks, stages and books that the server sends. The compiler requires a look for each new one. */
const LOOKS = {
  done: { word: 'done', tone: 'good', icon: 'done' },
  ok: { word: 'in order', tone: 'good', icon: 'done' },
  complete: { word: 'done', tone: 'good', icon: 'done' },
  done_earlier: { word: 'done', tone: 'good', icon: 'done' },
  failed_earlier: { word: 'failed', tone: 'bad', icon: 'failed' },
  interrupted_earlier: { word: 'interrupted', tone: 'wait', icon: 'broken' },
  pending: { word: 'pending', tone: 'calm', icon: 'none' },
  failed: { word: 'failed', tone: 'bad', icon: 'failed' },
  refused: { word: 'refused', tone: 'bad', icon: 'stopped' },
  interrupted: { word: 'interrupted', tone: 'wait', icon: 'broken' },
  parked: { word: 'asks you', tone: 'wait', icon: 'parked' },
  paused: { word: 'paused', tone: 'wait', icon: 'waiting' },
  waiting: { word: 'waiting', tone: 'wait', icon: 'waiting' },
  held: { word: 'held', tone: 'wait', icon: 'waiting' },
  running: { word: 'running', tone: 'busy', icon: 'busy' },
  never_run: { word: 'never run', tone: 'calm', icon: 'none' },
  stopped: { word: 'stopped', tone: 'calm', icon: 'stopped' },
  broken: { word: 'broken', tone: 'bad', icon: 'broken' },
  not_started: { word: 'not started', tone: 'calm', icon: 'none' },
  gone: { word: 'gone', tone: 'calm', icon: 'none' },
  archived: { word: 'archived', tone: 'calm', icon: 'none' },
  unreadable: { word: 'unreadable', tone: 'bad', icon: 'broken' },
  open: { word: 'open', tone: 'calm', icon: 'none' },
  queued: { word: 'queued', tone: 'calm', icon: 'waiting' },
  lost: { word: 'lost', tone: 'bad', icon: 'broken' },
  cancelled: { word: 'cancelled', tone: 'calm', icon: 'stopped' },
  driven: { word: 'driven', tone: 'busy', icon: 'busy' },
} satisfies Record<TaskLine['state'] | NowTask['state'] | StageShown['state'], Look> & Record<string, Look>;

const lookOf = (state: string): Look | null =>
  Object.hasOwn(LOOKS, state) ? LOOKS[state as keyof typeof LOOKS] : null;

export const wordOf = (state: string): string => lookOf(state)?.word ?? state.replaceAll('_', ' ');

export function StateMark({ state }: { state: string }) {
  const { tone, icon } = lookOf(state) ?? { tone: 'calm', icon: 'none' };
  return <Mark tone={tone} word={wordOf(state)} icon={icon} />;
}

/** The names of the class and the reason in records are its tooltip. */
export const ClassMark = ({ class: name, reason = null }: { class: string; reason?: string | null }) => (
  <Mark tone="bad" word={classWord(name)} icon="failures" title={reason === null ? name : `${name} (${reason})`} />
);

interface CostProps {
  usd: number | null;
  without: number;
  one?: string;
  /** All of them. Given where the price of a few is not to come first. */
  calls?: number;
  /** `cell`: of a table, with `PriceNote` below it. */
  as?: 'cell';
}

/** The tooltip says why a price is not known. */
export function Cost({ usd, without, one, calls, as }: CostProps) {
  const isUnknown = usd === null || (usd === 0 && without > 0);
  const title = without > 0 ? NO_PRICE : undefined;
  if (as === 'cell')
    return (
      <span title={title} class={isUnknown ? 'none' : ''}>
        {isUnknown ? '–' : `${without > 0 ? '≥ ' : ''}${money(usd)}`}
      </span>
    );
  const isMostlyUnknown = calls !== undefined && without * 2 > calls && !isUnknown;
  const known = isUnknown ? (without > 0 ? 'unknown' : '–') : money(usd, without, one);
  return (
    <span title={title} class={isUnknown ? 'dim' : undefined}>
      {isMostlyUnknown ? `${money(usd)} for ${count(calls - without)} of ${counted(calls, 'call')}` : known}
    </span>
  );
}

/** Below a table with such costs. */
export const PriceNote = ({ without }: { without: number }) =>
  without === 0 ? null : (
    <p class="price-note dim">
      – or ≥: the CLI reported no price for {counted(without, 'call')}. <a href="#/budgets?unit=usd">Set prices</a>
    </p>
  );

/** The same in a line, of today in UTC. */
export function CostToday({ usd, without, calls }: { usd: number; without: number; calls: number }) {
  const known = usd === 0 && without > 0 ? 'price unknown' : money(usd);
  return (
    <>
      <b>{known}</b> today
      {without > 0 && (
        <span class="dim" title={NO_PRICE}>
          {' '}
          ({count(without)} of {counted(calls, 'call')} without a price)
        </span>
      )}
    </>
  );
}

interface MarkProps extends Look {
  title?: string;
}

/** A short word that the page chooses, with a tone. */
export function Mark({ tone, word, icon, title }: MarkProps) {
  return (
    <span class={`mark ${tone}`} title={title}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
