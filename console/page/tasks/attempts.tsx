// Lists the attempts of a task, the latest first: how each ended, the decision after it, and the reason.

import type { TaskShown } from '../../contract/task.ts';
import { lasting, money, short } from '../parts/figures.ts';
import { Mark } from '../parts/mark.tsx';
import { Empty } from '../parts/shown.tsx';
import { Ago } from '../parts/times.tsx';
import { Cell, VirtualTable } from '../parts/virtual-table.tsx';
import { useMemo } from '../reactive.ts';
import { to } from '../shell/route.ts';
import { Words } from '../text/words.tsx';

const HEADS = ['Attempt', 'Ended', 'Decided', 'Took', 'Tokens', 'Money', 'Began'];

export function Attempts({ of: { attempts } }: { of: TaskShown }) {
  const byId = useMemo(() => new Map(attempts.map((attempt) => [attempt.call_id, attempt])), [attempts]);
  const ids = useMemo(() => attempts.map(({ call_id: id }) => id).reverse(), [attempts]);
  if (ids.length === 0) return <Empty title="Nothing was called yet" />;
  return (
    <div class="panel">
      <VirtualTable
        label="Attempts"
        keys={ids}
        rowHeight={40}
        columns="of-attempts"
        head={HEADS.map((head, nth) => (
          // biome-ignore lint/a11y/useSemanticElements: see the table
          // biome-ignore lint/a11y/useFocusableInteractive: the heading is only read
          <div key={head} role="columnheader" class={nth > 2 ? 'number' : nth === 2 ? 'decided' : ''}>
            {head}
          </div>
        ))}
        row={(id) => {
          const attempt = byId.get(id);
          if (attempt === undefined) return null;
          const {
            stage,
            attempt: nth,
            tool,
            at,
            ms,
            ending,
            class: errorClass,
            reason,
            decision,
            session_id: session,
          } = attempt;
          return (
            <>
              <Cell as="cut">
                <Words of={stage} /> <span class="dim">no. {nth}</span>{' '}
                {session !== null && (
                  <a href={to('sessions', session)} aria-label={`Session of ${stage}, attempt ${nth}`}>
                    session
                  </a>
                )}
              </Cell>
              <Cell as="cut">
                {ending === null ? (
                  <Mark tone="busy" word="under way" icon="busy" />
                ) : reason === 'cancelled' || reason === 'interrupted' ? (
                  <Mark tone="wait" word="interrupted" icon="broken" />
                ) : errorClass === null ? (
                  <Mark tone="good" word="answered" icon="done" />
                ) : (
                  <Mark tone="bad" word={errorClass} icon="failed" />
                )}{' '}
                <span class="dim">{reason ?? tool}</span>
              </Cell>
              <Cell as="decided soft">{decision && <Words of={`${decision.action}: ${decision.why}`} />}</Cell>
              <Cell as="number">{ms === null ? '' : lasting(ms)}</Cell>
              <Cell as="number">{attempt.tokens === null ? 'unknown' : short(attempt.tokens)}</Cell>
              <Cell as="number">{money(attempt.usd)}</Cell>
              <Cell as="number dim">
                <Ago at={at} />
              </Cell>
            </>
          );
        }}
      />
    </div>
  );
}
