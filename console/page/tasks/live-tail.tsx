// Shows the end of what the CLI of a running task says: follows it until the user scrolls up, searches in it, and copies it.

import type { TailTold, TaskShown } from '../../contract/task.ts';
import { partOf, refusalOf } from '../live/requests.ts';
import { CopyButton } from '../parts/copy.tsx';
import { FilterField } from '../parts/field.tsx';
import { bytes, clockTime, counted } from '../parts/figures.ts';
import { Panel } from '../parts/panel.tsx';
import { Heard, isSilent, jumps } from '../parts/times.tsx';
import { type ReadonlySignal, useEffect, useLayoutEffect, useRef, useSignal } from '../reactive.ts';
import { Words } from '../text/words.tsx';

interface Line {
  n: number;
  text: string;
  /** A line of the page itself, not of the log. */
  isNote: boolean;
  /** When it was heard, such as `09:04:31`; empty if that is not known. */
  at: string;
}

interface Tail {
  lines: readonly Line[];
  /** Whose output it is, such as `codex_brief (codex)`. */
  of: string | null;
  doing: string | null;
  /** ISO time at which the CLI last wrote something; null if it has not. */
  at: string | null;
  end: string | null;
}

/** Earlier lines are dropped, so that a long run does not fill the memory of the page. */
const MOST_LINES = 1000;
const NOTHING: Tail = { lines: [], of: null, doing: null, at: null, end: null };
/** Nearer to the end than this counts as the end. */
const NEAR_PX = 24;

/** @param run the number of the run that the page has seen; 0 while it has seen none. */
export function useTail(task: string, run: number): ReadonlySignal<Tail> {
  const tail = useSignal<Tail>(NOTHING);
  useEffect(() => {
    tail.value = NOTHING;
    if (run > 0) return followTail(task, (change) => (tail.value = change(tail.value)));
  }, [task, run, jumps.value]);
  return tail;
}

interface AliveProps {
  of: ReadonlySignal<Tail>;
  /** The latest call; undefined if the run has made none. */
  call: TaskShown['attempts'][number] | undefined;
}

/** Whether the call of a running task still works. */
export function Alive({ of, call }: AliveProps) {
  const { doing, at } = of.value;
  const isOpen = call?.ending === null;
  return (
    <section class={`panel failure ${isOpen && isSilent(at) ? 'waits' : 'busy'}`} aria-label="What it does now">
      <p class="sentence">
        {isOpen ? (
          <>
            {call.tool} works on <Words of={call.stage} />
          </>
        ) : (
          'The run is between two calls'
        )}
      </p>
      {isOpen && (
        <p class="soft">
          <Heard at={at} until={call.deadline_at}>
            <Words of={doing ?? 'something that has no words'} />
          </Heard>
        </p>
      )}
    </section>
  );
}

export function LiveTail({ of: tail }: { of: ReadonlySignal<Tail> }) {
  const sought = useSignal('');
  const follows = useSignal(true);
  const box = useRef<HTMLDivElement>(null);
  const { lines, of, end } = tail.value;
  const words = sought.value.toLowerCase();
  const shown = words === '' ? lines : lines.filter(({ text }) => text.toLowerCase().includes(words));
  useLayoutEffect(() => {
    if (follows.value && box.current) box.current.scrollTop = box.current.scrollHeight;
  });
  const onScroll = ({ currentTarget: at }: { currentTarget: HTMLDivElement }) => {
    follows.value = at.scrollHeight - at.scrollTop - at.clientHeight < NEAR_PX;
  };
  return (
    <Panel
      title={
        <>
          Live log
          {of !== null && (
            <span class="dim">
              {' '}
              of <Words of={of} />
            </span>
          )}
        </>
      }
      aside={
        <span class="buttons">
          <button
            type="button"
            class="button small"
            aria-pressed={follows.value}
            onClick={() => (follows.value = !follows.value)}
          >
            Follow
          </button>
          <CopyButton text={lines.map(({ text }) => text).join('\n')} name="Copy live log" />
        </span>
      }
    >
      <div class="tail">
        <FilterField label="Search the live log" value={sought.value} onInput={(text) => (sought.value = text)} />
        {words !== '' && <p class="dim">{counted(shown.length, 'line')} found</p>}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard */}
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls, and this box scrolls a text */}
        <div ref={box} role="group" class="tail-box mono" tabIndex={0} aria-label="Live log" onScroll={onScroll}>
          {lines.length === 0 && end === null && <p class="dim">Nothing was said yet.</p>}
          {shown.map(({ n, text, isNote, at }) => (
            <p key={n} class={isNote ? 'dim' : undefined}>
              {!isNote && <time class="dim">{at}</time>}
              <Words of={text} />
            </p>
          ))}
        </div>
        {end !== null && (
          <p role="status">
            <Words of={end} />
          </p>
        )}
      </div>
    </Panel>
  );
}

/** @returns the function that ends it. */
function followTail(task: string, apply: (change: (tail: Tail) => Tail) => void): () => void {
  const path = `/api/tasks/${partOf(task)}/tail`;
  const stop = new AbortController();
  let last = 0;
  let isFollowed = false;
  const added = (tail: Tail, texts: readonly string[], isNote: boolean, times: readonly string[] = []): Tail => {
    const lines = texts.map((text, nth) => ({ n: ++last, text, isNote, at: times[nth] ?? '' }));
    return { ...tail, lines: [...tail.lines, ...lines].slice(-MOST_LINES) };
  };
  const source = new EventSource(path);
  const close = () => source.close();
  const onTold = (told: TailTold) => {
    switch (told.of) {
      case 'call':
        return apply((tail) => {
          const of = `${told.stage} (${told.tool}), attempt ${told.attempt}`;
          return added({ ...tail, of, doing: null, at: null }, tail.of === null ? [] : [`— ${of} —`], true);
        });
      case 'lines': {
        const heard = told.at === null ? '' : clockTime(told.at);
        // The first ones are the end of the log as it was when the page opened it: of these, only the last has a time.
        const before = isFollowed || heard === '' ? heard : `by ${heard}`;
        const times = told.lines.map((_, nth) => (nth === told.lines.length - 1 ? heard : before));
        isFollowed = true;
        return apply((tail) => {
          const notes = [
            ...(told.began_again ? ['— The log begins again: its file was replaced or shortened. —'] : []),
            ...(told.left_out > 0 ? [`— ${bytes(told.left_out)} are left out here. —`] : []),
          ];
          return added(added({ ...tail, doing: told.doing, at: told.at }, notes, true), told.lines, false, times);
        });
      }
      case 'note':
        return apply((tail) => added(tail, [`— ${told.text} —`], true));
      case 'end':
        close();
        return apply((tail) => ({ ...tail, end: told.why }));
    }
  };
  // A stream that is opened again begins at the end of the log as it is then.
  source.onopen = () => {
    isFollowed = false;
    apply(() => NOTHING);
  };
  source.onmessage = ({ data }) => onTold(JSON.parse(data) as TailTold);
  source.onerror = async () => {
    if (source.readyState !== EventSource.CLOSED) return;
    const refusal = await refusalOf(path);
    if (!stop.signal.aborted) apply((tail) => ({ ...tail, end: refusal?.what ?? 'The live log was interrupted.' }));
  };
  return () => {
    stop.abort();
    close();
  };
}
