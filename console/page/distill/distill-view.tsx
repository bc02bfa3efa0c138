// Lists the distillations and starts a new one.

import type { BookLine } from '../../contract/distill.ts';
import type { Resources } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { Empty } from '../parts/empty.tsx';
import { count, money, short } from '../parts/figures.ts';
import { StateMark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Shown } from '../parts/shown.tsx';
import { Table } from '../parts/table.tsx';
import { useSignal } from '../reactive.ts';
import { to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { Words } from '../text/words.tsx';
import { StartDialog } from './start-dialog.tsx';

export function DistillView() {
  const all = useFollowing<Resources['/api/distill']>('/api/distill', (topic) => topic === 'distill' || topic === '*');
  const isStarting = useSignal(false);
  return (
    <View
      title="Distill"
      about="A long book, section by section."
      aside={
        <button type="button" class="button main" onClick={() => (isStarting.value = true)}>
          Distill a book …
        </button>
      }
    >
      <Panel title="Books" edge="flush">
        <Shown of={all} what="the distillations">
          {({ distillations }) =>
            distillations.length === 0 ? (
              <Empty title="No book yet">A PDF or an EPUB, and a prompt that says what is wanted of it.</Empty>
            ) : (
              <Books of={distillations} />
            )
          }
        </Shown>
      </Panel>
      {isStarting.value && <StartDialog onClose={() => (isStarting.value = false)} />}
    </View>
  );
}

/** `paused (refusal)` is a state and its cause. */
export const stateOf = (state: string): string => state.split(' ')[0]!;

const HEADS = [
  'Name',
  'State',
  { number: 'Sections' },
  { number: 'Calls' },
  { number: 'Tokens' },
  { number: 'Money' },
  'Model',
] as const;

function Books({ of }: { of: readonly BookLine[] }) {
  return (
    <Table label="Books" heads={HEADS}>
      {of.map(({ name, state, sections, calls, tokens, usd, unpriced_answers, model }) => (
        <tr key={name}>
          <th scope="row">
            <a href={to('distill', name)}>
              <Words of={name} />
            </a>
          </th>
          <td>
            <StateMark state={stateOf(state)} />{' '}
            <span class="dim">
              <Words of={state.slice(stateOf(state).length)} />
            </span>
          </td>
          <td class="number">{count(sections)}</td>
          <td class="number">
            {count(calls.used)} of {count(calls.total)}
          </td>
          <td class="number">{short(tokens)}</td>
          <td class="number">{money(usd, unpriced_answers)}</td>
          <td>
            <Words of={model} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
