// A task at a glance: its stages in order, what to do next, and the summary that its last run wrote.

import type { StageShown, TaskShown } from '../../contract/task.ts';
import { Empty } from '../parts/empty.tsx';
import { count, lasting, money, short } from '../parts/figures.ts';
import { StateMark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Markdown } from '../text/markdown.tsx';
import { Words } from '../text/words.tsx';

export function Overview({ of }: { of: TaskShown }) {
  return (
    <>
      <Panel title="Stages" edge="flush">
        {of.stages.length === 0 ? <Empty title="No stage was called yet" /> : <Stages of={of.stages} />}
      </Panel>
      <div class="columns wide-first">
        <Panel title="Summary">
          {of.summary === null ? (
            <Empty title="No summary yet">A run writes it when it ends.</Empty>
          ) : (
            <Markdown of={of.summary} label="Summary" />
          )}
        </Panel>
        <div class="stack">
          <Panel title="Next">
            {of.next_actions.length === 0 ? (
              <p class="dim">There is nothing to do.</p>
            ) : (
              <ol class="steps">
                {of.next_actions.map((action) => (
                  <li key={action}>
                    <Words of={action} />
                  </li>
                ))}
              </ol>
            )}
          </Panel>
          <Panel title="Where it lies">
            <p class="mono soft">
              <Words of={of.folder} />
            </p>
          </Panel>
        </div>
      </div>
    </>
  );
}

function Stages({ of }: { of: readonly StageShown[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section class="table-box" tabIndex={0} aria-label="Stages">
      <table>
        <thead>
          <tr>
            <th scope="col">Stage</th>
            <th scope="col">State</th>
            <th scope="col">CLI</th>
            <th scope="col" class="number">
              Attempts
            </th>
            <th scope="col" class="number">
              Took
            </th>
            <th scope="col" class="number">
              Tokens
            </th>
            <th scope="col" class="number">
              Money
            </th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ stage, state, tool, attempts, ms, tokens, usd }) => (
            <tr key={stage}>
              <th scope="row">
                <Words of={stage} />
              </th>
              <td>
                <StateMark state={state} />
              </td>
              <td>{tool}</td>
              <td class="number">{count(attempts)}</td>
              <td class="number">{ms === null ? 'unknown' : lasting(ms)}</td>
              <td class="number">{tokens === null ? 'unknown' : short(tokens)}</td>
              <td class="number">{money(usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
