// Shows a conversation turn by turn, with a list to jump, folding and search; what was taken back is struck through and labelled.

import type { Item } from '../../../policies/session/conversation.ts';
import type { TurnShown } from '../../contract/sessions.ts';
import { FilterField } from '../parts/field.tsx';
import { counted, short } from '../parts/figures.ts';
import { Mark } from '../parts/mark.tsx';
import { Ago } from '../parts/times.tsx';
import { type ComponentChildren, useEffect, useRef, useSignal } from '../reactive.ts';
import { Markdown } from '../text/markdown.tsx';
import { Quote, Words } from '../text/words.tsx';

const keyOf = ({ number, part, state }: TurnShown): string => `${number} ${part} ${state}`;

interface ConversationProps {
  turns: readonly TurnShown[];
  /** The numbers of the turns that the service would reject. */
  flawed: readonly number[];
}

export function Conversation({ turns, flawed }: ConversationProps) {
  const box = useRef<HTMLOListElement>(null);
  const folded = useSignal<ReadonlySet<string>>(new Set());
  const text = useSignal('');
  const found = useSignal<readonly Range[]>([]);
  const at = useSignal(0);
  const isSearching = text.value.trim() !== '';
  useEffect(() => {
    found.value = isSearching && box.current !== null ? rangesOf(box.current, text.value.trim()) : [];
    at.value = Math.max(0, Math.min(at.value, found.value.length - 1));
    mark(found.value, at.value);
    return () => mark([], 0);
  }, [turns, text.value]);
  const step = (by: number) => {
    at.value = (at.value + by + found.value.length) % found.value.length;
    mark(found.value, at.value);
    reveal(found.value[at.value]!);
  };
  const fold = (key: string) => {
    const others = [...folded.value].filter((each) => each !== key);
    folded.value = new Set(folded.value.has(key) ? others : [...others, key]);
  };
  const jump = (key: string) => {
    folded.value = new Set([...folded.value].filter((each) => each !== key));
    const turn = box.current?.querySelector<HTMLElement>(`[data-turn="${key}"]`);
    turn?.scrollIntoView({ block: 'start' });
    turn?.focus({ preventScroll: true });
  };
  const isFlawed = ({ number, state }: TurnShown) => state === 'active' && flawed.includes(number);
  const isFolded = folded.value.size === turns.length;
  return (
    <>
      <div class="bar">
        <FilterField label="Search the conversation" value={text.value} onInput={(of) => (text.value = of)} />
        <div class="buttons">
          {isSearching && (
            <>
              <span role="status" class="dim">
                {found.value.length === 0
                  ? 'not found'
                  : `${at.value + 1} of ${counted(found.value.length, 'match', 'matches')}`}
              </span>
              <button type="button" class="button" disabled={found.value.length === 0} onClick={() => step(-1)}>
                Previous match
              </button>
              <button type="button" class="button" disabled={found.value.length === 0} onClick={() => step(1)}>
                Next match
              </button>
            </>
          )}
          <button
            type="button"
            class="button"
            aria-pressed={isFolded}
            onClick={() => (folded.value = new Set(isFolded ? [] : turns.map(keyOf)))}
          >
            Fold all turns
          </button>
        </div>
      </div>
      <div class="conversation">
        <nav class="turn-list" aria-label="Turns">
          <ol class="plain-list">
            {turns.map((turn) => (
              <li key={keyOf(turn)}>
                <button type="button" class="turn-go" onClick={() => jump(keyOf(turn))}>
                  <span class="dim">{turn.number}</span>{' '}
                  <Struck as={turn.state === 'reverted'}>
                    <Words of={firstWords(turn)} />
                  </Struck>{' '}
                  {isFlawed(turn) && <Broken />}
                </button>
              </li>
            ))}
          </ol>
        </nav>
        <ol class="turns" ref={box}>
          {turns.map((turn) => (
            <TurnOf
              key={keyOf(turn)}
              turn={turn}
              isFlawed={isFlawed(turn)}
              isOpen={isSearching || !folded.value.has(keyOf(turn))}
              fold={() => fold(keyOf(turn))}
            />
          ))}
        </ol>
      </div>
    </>
  );
}

const MOST_WORDS = 80;

/** The first line that is about the task. */
function firstWords(turn: TurnShown): string {
  if (turn.part === 'rest') return 'its answer';
  const [line = 'no prompt'] = ownOf(turn)
    .split('\n')
    .flatMap((each) => (each.trim() === '' || each.startsWith('# ') ? [] : [each.trim()]));
  return line.length > MOST_WORDS ? `${line.slice(0, MOST_WORDS)}…` : line;
}

/** The prompt without what Tollgate puts before each. */
const ownOf = ({ prompt, opening }: TurnShown): string =>
  prompt
    .split('\n')
    .slice(opening?.lines ?? 0)
    .join('\n')
    .trimStart();

const Broken = () => <Mark tone="bad" word="broken" icon="broken" />;

interface TurnProps {
  turn: TurnShown;
  isFlawed: boolean;
  isOpen: boolean;
  fold: () => void;
}

function TurnOf({ turn, isFlawed, isOpen, fold }: TurnProps) {
  const { number, at, tokens, items, part, state } = turn;
  const isReverted = state === 'reverted';
  return (
    <li class={`turn ${isReverted ? 'reverted' : ''} ${part}`} data-turn={keyOf(turn)} tabIndex={-1}>
      <div class="turn-head">
        <h3>
          <button type="button" class="turn-fold" aria-expanded={isOpen} onClick={fold}>
            <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> Turn {number}
            {part === 'rest' && ', its answer'}
          </button>{' '}
          {isReverted && <Mark tone="calm" word="[ REVERTED ]" icon="stopped" />}
          {isFlawed && <Broken />}
        </h3>
        <span class="dim">
          {tokens && `${short(tokens.input)} tokens in, ${short(tokens.output)} out`}
          {tokens && at && ', '}
          {at && <Ago at={at} />}
        </span>
      </div>
      {isOpen && part === 'whole' && <PromptOf turn={turn} />}
      {isOpen &&
        items.map((item, nth) => (
          <Struck as={isReverted} key={`${item.how} ${nth}`}>
            <ItemOf item={item} number={number} isOpen={isFlawed} />
          </Struck>
        ))}
    </li>
  );
}

function PromptOf({ turn }: { turn: TurnShown }) {
  const { prompt, opening, number, state } = turn;
  return (
    <div class="prompt">
      <span class="who">prompt</span>
      <Struck as={state === 'reverted'}>
        {opening !== null && (
          <details class="item">
            <summary>
              {counted(opening.lines, 'line')} of rules, and the instructions for <Words of={opening.role} />
            </summary>
            <Quote of={prompt.split('\n').slice(0, opening.lines).join('\n')} label={`Rules of turn ${number}`} />
          </details>
        )}
        <Quote of={ownOf(turn)} label={`Prompt of turn ${number}`} />
      </Struck>
    </div>
  );
}

/** Marked as deleted text, so that screen readers report it too. */
function Struck({ as, children }: { as: boolean; children: ComponentChildren }) {
  return as ? <del>{children}</del> : children;
}

/** @param isOpen whether its calls and responses are shown, since they are what is broken. */
function ItemOf({ item, number, isOpen }: { item: Item; number: number; isOpen: boolean }) {
  switch (item.how) {
    case 'said':
      return (
        <div class="item">
          <span class="who">answer</span>
          <Markdown of={item.text} label={`Answer of turn ${number}`} />
        </div>
      );
    case 'thought':
      return (
        <details class="item">
          <summary>Reasoning</summary>
          <Quote of={item.text} label="Thought" />
        </details>
      );
    case 'called':
      return (
        <details class="item" open={isOpen}>
          <summary>
            calls <Words of={item.name} />
          </summary>
          <Quote of={item.input} label="What it was called with" as="code" />
        </details>
      );
    case 'responded':
      return (
        <details class="item" open={isOpen}>
          <summary>
            {item.failed ? 'Failed: ' : 'Result of '}
            <Words of={item.name ?? item.id} />
          </summary>
          <Quote of={item.output} label="What it gave back" as="code" />
        </details>
      );
    case 'noted':
      return (
        <p class="item dim">
          noted: <Words of={item.text} />
        </p>
      );
  }
}

/** More are neither marked nor counted. */
const MOST = 2_000;

/** The case of letters does not matter. A text that is shown in several pieces, as around a hidden sign, is found in each. */
function rangesOf(within: HTMLElement, text: string): Range[] {
  const wanted = text.toLowerCase();
  const found: Range[] = [];
  const nodes = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node !== null && found.length < MOST; node = nodes.nextNode()) {
    const content = node.nodeValue!;
    const small = content.toLowerCase();
    // A few letters have another length in lower case.
    const searched = small.length === content.length ? small : content;
    for (
      let at = searched.indexOf(wanted);
      at >= 0 && found.length < MOST;
      at = searched.indexOf(wanted, at + wanted.length)
    ) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      found.push(range);
    }
  }
  return found;
}

/** An older browser scrolls to each match, but does not mark it. */
function mark(ranges: readonly Range[], current: number): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.set('found', new Highlight(...ranges));
  CSS.highlights.set('found-now', new Highlight(...ranges.slice(current, current + 1)));
}

/** Opens what hides the match, and scrolls to it. */
function reveal(range: Range): void {
  const element = range.startContainer.parentElement;
  for (let at = element; at !== null; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
  element?.scrollIntoView({ block: 'center' });
  // A long text has its own scroll bar.
  const box = element?.closest('.said');
  if (box) box.scrollTop += range.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2;
}
