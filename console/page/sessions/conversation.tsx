// Shows a conversation turn by turn; what was taken back is struck through, dimmed and labelled.

import type { Item, ShownTurn } from '../../../policies/session/conversation.ts';
import { counted, short } from '../parts/figures.ts';
import { Ago } from '../parts/times.tsx';
import type { ComponentChildren } from '../reactive.ts';
import { Markdown } from '../text/markdown.tsx';
import { Quote, Words } from '../text/words.tsx';

export function Conversation({ turns }: { turns: readonly ShownTurn[] }) {
  return (
    <ol class="turns">
      {turns.map((turn) => (
        <TurnOf key={`${turn.number} ${turn.part} ${turn.state}`} turn={turn} />
      ))}
    </ol>
  );
}

function TurnOf({ turn }: { turn: ShownTurn }) {
  const { number, at, tokens, prompt, items, part, state } = turn;
  const isReverted = state === 'reverted';
  return (
    <li class={isReverted ? 'turn reverted' : 'turn'}>
      <div class="turn-head">
        <h3>
          {isReverted && <span class="reverted-mark">[ REVERTED ]</span>} Turn {number}
          {part === 'rest' && ', its answer'}
        </h3>
        <span class="dim">
          {tokens && `${short(tokens.input)} tokens in, ${short(tokens.output)} out`}
          {tokens && at && ', '}
          {at && <Ago at={at} />}
        </span>
      </div>
      {part === 'whole' && (
        <div class="prompt">
          <span class="who">prompt</span>
          <Struck as={isReverted}>
            <Quote of={prompt} label={`Prompt of turn ${number}`} />
          </Struck>
        </div>
      )}
      {items.map((item, nth) => (
        <Struck as={isReverted} key={`${item.how} ${nth}`}>
          <ItemOf item={item} number={number} />
        </Struck>
      ))}
    </li>
  );
}

/** Marked as deleted text, so that screen readers report it too. */
function Struck({ as, children }: { as: boolean; children: ComponentChildren }) {
  return as ? <del>{children}</del> : children;
}

function ItemOf({ item, number }: { item: Item; number: number }) {
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
          <summary>a thought of {counted(item.text.length, 'character')}</summary>
          <Quote of={item.text} label="Thought" />
        </details>
      );
    case 'called':
      return (
        <details class="item">
          <summary>
            calls <Words of={item.name} />
          </summary>
          <Quote of={item.input} label="What it was called with" as="code" />
        </details>
      );
    case 'responded':
      return (
        <details class="item">
          <summary>
            {item.failed ? 'failed: ' : 'gave back: '}
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
