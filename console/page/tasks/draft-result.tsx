// Shows what was found in a manifest that is not written yet: its mistakes, or the calls of a run and their expected cost.

import type { SpentShown } from '../../contract/overviews.ts';
import type { Resources } from '../../contract/resources.ts';
import type { DraftShown } from '../../contract/task.ts';
import { useFollowing } from '../live/follow.ts';
import { count, counted, money } from '../parts/figures.ts';
import { Panel } from '../parts/panel.tsx';
import { Words } from '../text/words.tsx';

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
  const spent = useFollowing<Resources['/api/spent']>('/api/spent', (topic) => topic === 'budgets');
  if (forecast === null) return <p>The manifest has no mistake. A reasoner decides about its calls.</p>;
  const { stages, budget } = forecast;
  const tools = stages.flatMap(({ tool, calls }) => (calls ? tool : []));
  const most = Math.max(0, budget.total - budget.used);
  return (
    <>
      <p>
        A run makes <b>{tools.length === 0 ? 'no paid call' : counted(tools.length, 'paid call')}</b>
        {tools.length > 0 && `, more with retries, at most ${count(most)}`}
        {budget.used > 0 && ` (${count(budget.total)} less the ${count(budget.used)} made)`}.
      </p>
      {spent.value.value !== null && tools.length > 0 && <p>{costWords(tools, spent.value.value)}</p>}
    </>
  );
}

/** The same in a few words, before a check. */
export function Expected({ tools, most }: { tools: readonly string[]; most: number }) {
  const spent = useFollowing<Resources['/api/spent']>('/api/spent', (topic) => topic === 'budgets');
  const { sum, unknown } = costOf(tools, spent.value.value?.days ?? []);
  const cost = unknown.length === 0 ? `about ${money(sum)}` : 'cost unknown';
  return <>{`${counted(tools.length, 'paid call')}, at most ${count(most)}; ${cost}`}</>;
}

/** By what earlier calls of the same CLIs cost in this project. `unknown`: the CLIs without a known price. */
function costOf(tools: readonly string[], days: SpentShown['days']): { sum: number; unknown: string[] } {
  const meanOf = (tool: string): number | null => {
    const used = days.flatMap(({ by_tool: by }) => (Object.hasOwn(by, tool) ? by[tool]! : []));
    const priced = used.reduce((sum, { calls, calls_without_price: without }) => sum + calls - without, 0);
    return priced === 0 ? null : used.reduce((sum, { usd }) => sum + usd, 0) / priced;
  };
  const costs = tools.map(meanOf);
  const unknown = [...new Set(tools.filter((_, at) => costs[at] === null))];
  return { sum: costs.reduce<number>((total, cost) => total + (cost ?? 0), 0), unknown };
}

function costWords(tools: readonly string[], { days }: SpentShown): string {
  const { sum, unknown } = costOf(tools, days);
  const lacking = `no price of an earlier call of ${unknown.join(', ')} is known`;
  if (tools.every((tool) => unknown.includes(tool))) return `Expected cost: unknown, since ${lacking}.`;
  const rest = unknown.length === 0 ? '' : `; ${lacking}`;
  return `Expected cost: about ${money(sum)}, by the earlier calls of this project${rest}.`;
}
