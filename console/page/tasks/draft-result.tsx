// Shows what was found in a manifest that is not written yet: its mistakes, or the calls of a run and their expected cost.

import type { DraftShown } from '../../contract/task.ts';
import { count, counted } from '../parts/figures.ts';
import { Panel } from '../parts/panel.tsx';
import { to } from '../shell/route.ts';
import { Words } from '../text/words.tsx';
import { expectedCost, PRICE_UNKNOWN, priceWords } from './task-list.ts';

interface DraftResultProps {
  of: DraftShown;
  /** Goes to a line of the text, where there is one to see. */
  onLine?: (line: number) => void;
}

export function DraftResult({ of, onLine }: DraftResultProps) {
  const { problems, forecast, notes } = of;
  if (problems.length > 0)
    return (
      <Panel title={counted(problems.length, 'mistake')}>
        <ul class="stack">
          {problems.map(({ line, message }) => (
            <li key={`${line} ${message}`} class="notice bad">
              <p>
                {line !== null &&
                  (onLine === undefined ? (
                    <b>Line {line}:</b>
                  ) : (
                    <button type="button" class="button small" onClick={() => onLine(line)}>
                      Line {line}
                    </button>
                  ))}{' '}
                <Words of={message} />
              </p>
            </li>
          ))}
        </ul>
      </Panel>
    );
  return (
    <Panel title="Check">
      <Payment of={of} />
      {forecast !== null && (
        <ol class="stack">
          {forecast.stages.map(({ stage, calls, prompt_chars: chars, commands, warnings }) => (
            <li key={stage}>
              <b>
                <Words of={stage} />
              </b>{' '}
              <span class="dim">
                {calls ? `a prompt of ${count(chars)} characters` : 'is done, no call'}
                {commands.length > 0 && (
                  <>
                    , then <Words of={commands.join(', ')} />
                  </>
                )}
              </span>
              {warnings.map((warning) => (
                <p key={warning} class="notice wait">
                  <Words of={warning} />
                </p>
              ))}
            </li>
          ))}
        </ol>
      )}
      {notes.map((note) => (
        <p key={note} class="soft">
          <Words of={note} />
        </p>
      ))}
    </Panel>
  );
}

/** What a run would pay for, before it begins. */
export function Payment({ of: { forecast } }: { of: DraftShown }) {
  if (forecast === null) return <p>The manifest has no mistake. A reasoner decides about its calls.</p>;
  const { stages, budget, retries } = forecast;
  const tools = stages.flatMap(({ tool, calls }) => (calls ? tool : []));
  const more = retries === 0 ? 'and retries none; its budget allows' : 'more with retries, at most';
  const most = Math.max(0, budget.total - budget.used);
  const cost = expectedCost(tools);
  return (
    <>
      <p>
        A run makes <b>{tools.length === 0 ? 'no paid call' : counted(tools.length, 'paid call')}</b>
        {tools.length > 0 && `, ${more} ${count(most)}`}
        {budget.used > 0 && ` (${count(budget.total)} less the ${count(budget.used)} made)`}.
      </p>
      {tools.length > 0 && (
        <p>
          Expected cost, by the earlier calls of this project: {cost}.{' '}
          {cost === PRICE_UNKNOWN && <a href={`${to('budgets')}?unit=usd`}>Set prices</a>}
        </p>
      )}
    </>
  );
}

/** The same in a few words, before a check. */
export const Expected = ({ tools, most }: { tools: readonly string[]; most: number }) => (
  <>{tools.length === 0 ? `No stage yet; at most ${counted(most, 'paid call')}` : priceWords(tools, most)}</>
);
