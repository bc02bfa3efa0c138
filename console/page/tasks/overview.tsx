// Shows a task at a glance: its stages in order, what to do next, and the summary of its last run.

import { actionLine } from '../../../policies/facts/next-action.ts';
import { inPlaceWords } from '../../../policies/verdict/stand-ins.ts';
import type { StageShown, TaskShown } from '../../contract/task.ts';
import { count, lacking, lasting, money, tokens } from '../parts/figures.ts';
import { StateMark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty } from '../parts/shown.tsx';
import { Table } from '../parts/table.tsx';
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
            <Markdown of={of.summary} label="Summary" lines="kept" />
          )}
        </Panel>
        <div class="stack">
          <Panel title="Next">
            {of.next_actions.length === 0 ? (
              <p class="dim">{NOTHING_NEXT[of.state] ?? 'There is nothing to do.'}</p>
            ) : (
              <ol class="steps">
                {of.next_actions.map((action) => (
                  <li key={actionLine(action)}>
                    <Words of={actionLine(action)} />
                  </li>
                ))}
              </ol>
            )}
          </Panel>
          <Panel title="Location">
            <p class="mono soft">
              <Words of={of.folder} />
            </p>
          </Panel>
        </div>
      </div>
    </>
  );
}

const NOTHING_NEXT: Partial<Record<TaskShown['state'], string>> = {
  running: 'It is running. To stop it, use the Now view.',
  done: 'It is done. There is nothing to do.',
};

const HEADS = [
  'Stage',
  'State',
  'CLI',
  { number: 'Attempts' },
  { number: 'Took' },
  { number: 'Tokens' },
  { number: 'Money' },
] as const;

function Stages({ of }: { of: readonly StageShown[] }) {
  return (
    <Table label="Stages" heads={HEADS}>
      {of.map(({ stage, state, tool, stand_ins, attempts, ms, tokens: used, usd, unknown }) => (
        <tr key={stage}>
          <th scope="row">
            <Words of={stage} />
          </th>
          <td>
            <StateMark state={state} />
          </td>
          <td>
            {tool}
            {stand_ins.length > 0 && <Words of={inPlaceWords(stand_ins)} />}
          </td>
          <td class="number">{count(attempts)}</td>
          <td class="number">{ms === null ? 'unknown' : lasting(ms)}</td>
          <td class="number" title={lacking(unknown.tokens, 'tokens')}>
            {tokens(used, unknown.tokens)}
          </td>
          <td class="number" title={lacking(unknown.usd, 'price')}>
            {money(usd, unknown.usd)}
          </td>
        </tr>
      ))}
    </Table>
  );
}
