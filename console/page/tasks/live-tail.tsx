// Shows the end of what the CLI of a running task says: follows it until the user scrolls up, searches in it, and copies it.

import type { TailTold } from '../../contract/task.ts';
import { partOf, refusalOf } from '../live/requests.ts';
import { CopyButton } from '../parts/copy.tsx';
import { FilterField } from '../parts/field.tsx';
import { bytes, clockTime, counted } from '../parts/figures.ts';
import { Panel } from '../parts/panel.tsx';
import { jumps } from '../parts/times.tsx';
import { useEffect, useLayoutEffect, useRef, useSignal } from '../reactive.ts';
import { Words } from '../text/words.tsx';

interface Line {
  n: number;
  text: string;
  /** A line of the page itself, not of the log. */
  isNote: boolean;
  /** When the page received it; null for what the log contained before. */
  at: string | null;
}

interface Tail {
  lines: readonly Line[];
  /** Whose output it is, such as `codex_brief (codex)`. */
  of: string | null;
  doing: string | null;
  end: string | null;
}

/** Earlier lines are dropped, so that a long run does not fill the memory of the page. */
const MOST_LINES = 1000;
const NOTHING: Tail = { lines: [], of: null, doing: null, end: null };
/** Nearer to the end than this counts as the end. */
const NEAR_PX = 24;

export function LiveTail({ task }: { task: string }) {
  const tail = useSignal<Tail>(NOTHING);
  const sought = useSignal('');
  const follows = useSignal(true);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => followTail(task, (change) => (tail.value = change(tail.value))), [task, jumps.value]);
  const { lines, of, doing, end } = tail.value;
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
      title="Live log"
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
        <p class="tail-doing">
          {of !== null && (
            <b>
              <Words of={of} />
            </b>
          )}{' '}
          {end === null && doing !== null && (
            <span class="mono">
              <Words of={`last: ${doing}`} />
            </span>
          )}
        </p>
        <FilterField label="Search the live log" value={sought.value} onInput={(text) => (sought.value = text)} />
        {words !== '' && <p class="dim">{counted(shown.length, 'line')} found</p>}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard */}
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls, and this box scrolls a text */}
        <div ref={box} role="group" class="tail-box mono" tabIndex={0} aria-label="Live log" onScroll={onScroll}>
          {lines.length === 0 && end === null && <p class="dim">Nothing was said yet.</p>}
          {shown.map(({ n, text, isNote, at }) => (
            <p key={n} class={isNote ? 'dim' : undefined}>
              {!isNote && <time class="dim">{at ?? 'earlier'}</time>}
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
  const added = (tail: Tail, texts: readonly string[], isNote: boolean, at: string | null = null): Tail => {
    const lines = texts.map((text) => ({ n: ++last, text, isNote, at }));
    return { ...tail, lines: [...tail.lines, ...lines].slice(-MOST_LINES) };
  };
  const source = new EventSource(path);
  const close = () => source.close();
  const onTold = (told: TailTold) => {
    switch (told.of) {
      case 'call':
        return apply((tail) => {
          const of = `${told.stage} (${told.tool}), attempt ${told.attempt}`;
          return added({ ...tail, of, doing: null }, tail.of === null ? [] : [`— ${of} —`], true);
        });
      case 'lines': {
        // The first ones are the end of the log as it was when the page opened it.
        const at = isFollowed ? clockTime() : null;
        isFollowed = true;
        return apply((tail) => {
          const notes = [
            ...(told.began_again ? ['— The log begins again: its file was replaced or shortened. —'] : []),
            ...(told.left_out > 0 ? [`— ${bytes(told.left_out)} are left out here. —`] : []),
          ];
          return added(added({ ...tail, doing: told.doing }, notes, true), told.lines, false, at);
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
