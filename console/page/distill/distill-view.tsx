// Lists the distillations and starts a new one.

import { DEFAULT_CALLS } from '../../../policies/distill/budgets.ts';
import type { BookLine } from '../../contract/overviews.ts';
import type { Resources } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { change } from '../live/requests.ts';
import { PriceOf } from '../parts/actions.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { ChoiceField, TextField } from '../parts/field.tsx';
import { count, short } from '../parts/figures.ts';
import { Cost, StateMark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Shown, SignInNotice } from '../parts/shown.tsx';
import { Table } from '../parts/table.tsx';
import { useSignal } from '../reactive.ts';
import { to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { expectedCost, signedOut } from '../tasks/task-list.ts';
import { Words } from '../text/words.tsx';

export function DistillView() {
  const all = useFollowing<Resources['/api/distill']>('/api/distill', (topic) => topic === 'distill' || topic === '*');
  const isStarting = useSignal(false);
  const isBarred = signedOut.value.includes('gemini');
  return (
    <View
      title="Distill"
      about="Condenses a long text into notes, section by section."
      aside={
        <span class="action">
          <button type="button" class={`button ${isBarred ? '' : 'main'}`} onClick={() => (isStarting.value = true)}>
            Distill a book …
          </button>
          <PriceOf words={`1 paid call a section, up to ${count(DEFAULT_CALLS)} · ${expectedCost(['gemini'])}`} />
        </span>
      }
    >
      {isBarred && (
        <SignInNotice title="No sign-in was found for gemini." isMain>
          You can begin a distillation, but its calls may fail.
        </SignInNotice>
      )}
      <Panel title="Books" edge="flush">
        <Shown of={all} what="the distillations">
          {({ distillations }) =>
            distillations.length === 0 ? (
              <Empty title="No book yet">A PDF, an EPUB or a text, and a prompt for its distillation.</Empty>
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
  'Model',
  { number: 'Sections' },
  { number: 'Calls' },
  { number: 'Tokens' },
  { number: 'Cost' },
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
          <td>
            <Words of={model} />
          </td>
          <td class="number">{count(sections)}</td>
          <td class="number">
            {count(calls.used)} of {count(calls.total)}
          </td>
          <td class="number">{short(tokens)}</td>
          <td class="number">
            <Cost usd={usd} without={unpriced_answers} one="answer" as="cell" />
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Starts a distillation: the user gives the path of the book on this machine, and the prompt as text. */
const MODELS = ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-lite'];

function StartDialog({ onClose }: { onClose: () => void }) {
  const book = useSignal('');
  const prompt = useSignal('');
  const model = useSignal(MODELS[0]!);
  const calls = useSignal('');
  const most = calls.value.trim() === '' ? null : Number(calls.value);
  const isRight = most === null || (Number.isInteger(most) && most > 0);
  return (
    <Confirm
      title="Distill a book"
      verb="Begin"
      canDo={book.value.trim() !== '' && isRight}
      act={() =>
        change('/api/distill/start', {
          book: book.value.trim(),
          prompt: prompt.value.trim() === '' ? null : prompt.value,
          model: model.value,
          max_calls: most,
        })
      }
      onClose={onClose}
    >
      <TextField
        of={book}
        label="The book"
        mono
        placeholder="books/walden.epub"
        help="The path of a PDF, an EPUB or a text on this machine."
      />
      <TextField
        of={prompt}
        label="Instruction (optional)"
        rows={6}
        help="Without one, a general prompt distils the book chapter by chapter."
      />
      <div class="columns narrow">
        <ChoiceField of={model} label="Model" among={MODELS} />
        <TextField of={calls} label="Paid calls at the most" mode="numeric" />
      </div>
      <p class="dim">Each section is a paid call to the Gemini API, with the key of the console’s environment.</p>
    </Confirm>
  );
}
