// Lists the comparisons, and shows one: its variants side by side, their answers and changes, and the choice of one.

import { CALLS_OF_A_PROMPT } from '../../../policies/manifest/variants.ts';
import { COMPARED_HEADINGS, comparedCells } from '../../../policies/report/comparison.ts';
import type { ComparisonShown, ComparisonsShown } from '../../contract/overviews.ts';
import type { Actions } from '../../contract/page.ts';
import type { Resources, ResourcesOf } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { change, partOf } from '../live/requests.ts';
import { Confirm } from '../parts/dialog.tsx';
import { ChoiceField, TextField } from '../parts/field.tsx';
import { StateMark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { Table } from '../parts/table.tsx';
import { Dated } from '../parts/times.tsx';
import { useSignal } from '../reactive.ts';
import { tellProblem } from '../shell/notes.tsx';
import { to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { isNoneReady, Unready } from '../tasks/new-task.tsx';
import { priceWords, signedOutOf, signInWords } from '../tasks/task-list.ts';
import { Diff } from '../text/diff.tsx';
import { Markdown } from '../text/markdown.tsx';
import { Quote, Words } from '../text/words.tsx';

/** The variants are tasks, whose changes are announced. */
const concerns = (topic: string) => topic === '*' || topic === 'tasks' || topic === 'task';

export function ComparisonsView() {
  const all = useFollowing<Resources['/api/compare']>('/api/compare', concerns);
  const choices = useFollowing<Resources['/api/choices']>('/api/choices', (topic) => topic === '*');
  const tools = choices.value.value?.tools ?? [];
  const isBarred = tools.length > 0 && isNoneReady(tools);
  const isStarting = useSignal(false);
  const isEmpty = all.value.value?.comparisons.length === 0;
  const start = (
    <button type="button" class={`button ${isBarred ? '' : 'main'}`} onClick={() => (isStarting.value = true)}>
      New comparison …
    </button>
  );
  return (
    <View
      title="Compare"
      about="The same prompt for several CLIs, their answers and changes side by side."
      aside={!isEmpty && start}
    >
      <Unready of={tools} can="begin a comparison" isMain={isBarred} />
      <Panel title="Comparisons" edge="flush">
        <Shown of={all} what="the comparisons">
          {({ comparisons }) =>
            comparisons.length === 0 ? (
              <Empty title="No comparison yet">
                <p>
                  A new one sends a prompt to two or more CLIs. Each usually makes 1 paid call, at most{' '}
                  {CALLS_OF_A_PROMPT}.
                </p>
                <p>
                  In a terminal, <code>tollgate compare</code> also takes a task, models and accounts.
                </p>
                <div class="buttons">{start}</div>
              </Empty>
            ) : (
              <Comparisons of={comparisons} />
            )
          }
        </Shown>
      </Panel>
      {isStarting.value && <StartDialog onClose={() => (isStarting.value = false)} />}
    </View>
  );
}

const ACCESS = { read: 'they only read', write: 'each changes a worktree of its own' };

function StartDialog({ onClose }: { onClose: () => void }) {
  const choices = useFollowing<Resources['/api/choices']>('/api/choices', (topic) => topic === '*');
  const prompt = useSignal('');
  const access = useSignal('read');
  const chosen = useSignal<readonly string[]>([]);
  const tools = chosen.value;
  const price = priceWords(tools, tools.length * CALLS_OF_A_PROMPT);
  return (
    <Confirm
      title="New comparison"
      verb="Begin"
      canDo={prompt.value.trim() !== '' && tools.length > 1}
      act={() => change('/api/compare/start', { prompt: prompt.value, tools: [...tools], access: access.value })}
      onClose={onClose}
    >
      <TextField of={prompt} label="Prompt" rows={4} />
      <Shown of={choices} what="the CLIs">
        {(shown) => (
          <fieldset class="chips">
            <legend>CLIs, two or more</legend>
            {shown.tools.filter(({ lacks }) => lacks === null).length < 2 && (
              <p class="dim">
                Fewer than two are installed here. <a href={to('machine')}>See on Machine what to do</a>
              </p>
            )}
            {shown.tools
              .filter(({ lacks }) => lacks === null)
              .map(({ tool }) => (
                <label key={tool} class="chip">
                  <input
                    type="checkbox"
                    aria-label={`Compare ${tool}`}
                    checked={tools.includes(tool)}
                    onChange={() =>
                      (chosen.value = tools.includes(tool) ? tools.filter((each) => each !== tool) : [...tools, tool])
                    }
                  />{' '}
                  <Words of={tool} />
                </label>
              ))}
          </fieldset>
        )}
      </Shown>
      <ChoiceField of={access} label="Access" among={Object.keys(ACCESS)} words={ACCESS} />
      {tools.length > 1 && (
        <p class="soft">
          <Words of={[price, ...signInWords(signedOutOf([], tools))].join('; ')} />.
        </p>
      )}
    </Confirm>
  );
}

function Comparisons({ of }: { of: ComparisonsShown['comparisons'] }) {
  return (
    <Table label="Comparisons" heads={['Comparison', 'Begun', 'Variants', 'Picked', 'Worktrees']}>
      {of.map(({ comparison_id: id, at, names, picked, removed }) => (
        <tr key={id}>
          <th scope="row">
            <a href={to('compare', id)}>
              <Words of={id} />
            </a>
          </th>
          <td>
            <Dated at={at} />
          </td>
          <td>
            <Words of={names.join(', ')} />
          </td>
          <td>{picked === null ? '-' : <Words of={picked} />}</td>
          <td>{removed ? 'removed' : 'kept'}</td>
        </tr>
      ))}
    </Table>
  );
}

/** The whole prompt of a variant is in its task. */
const MOST_TITLE = 160;

export function ComparisonView({ id }: { id: string }) {
  const comparison = useFollowing<ResourcesOf['comparison']>(`/api/compare/${partOf(id)}`, concerns);
  const goal = comparison.value.value?.report.goal.slice(0, MOST_TITLE).split('\n', 1)[0];
  return (
    <View
      crumbs={<a href={to('compare')}>Compare</a>}
      title={<Words of={goal || id} />}
      about={goal ? <Words of={id} /> : undefined}
    >
      <Shown of={comparison} what="the comparison" list={{ name: 'All comparisons', address: to('compare') }}>
        {(of) => <Sheet of={of} renew={comparison.renew} />}
      </Shown>
    </View>
  );
}

type Wish = { what: 'pick'; n: number; name: string } | { what: 'remove' } | { what: 'resume' };

function Sheet({ of: { report, diffs }, renew }: { of: ComparisonShown; renew: () => void }) {
  const wish = useSignal<Wish | null>(null);
  const { variants, picked, removed, state } = report;
  const isOpen = variants.some((variant) => variant.state === 'interrupted' || variant.state === 'never_run');
  const isRunning = state === 'running';
  return (
    <>
      <Panel
        title="Variants"
        edge="flush"
        aside={
          removed === null ? (
            <div class="buttons">
              {isOpen && !isRunning && (
                <button type="button" class="button small main" onClick={() => (wish.value = { what: 'resume' })}>
                  Resume …
                </button>
              )}
              <button
                type="button"
                class="button small grave"
                disabled={isRunning}
                onClick={() => (wish.value = { what: 'remove' })}
              >
                Remove worktrees …
              </button>
            </div>
          ) : (
            <span class="dim">worktrees removed</span>
          )
        }
      >
        <Table label="Variants" heads={HEADS}>
          {variants.map((variant) => {
            const { n, name, task_id: task } = variant;
            const cells = comparedCells(variant);
            return (
              <tr key={n}>
                <td>{n}</td>
                <th scope="row">
                  <a href={to('tasks', task)}>
                    <Words of={name} />
                  </a>
                </th>
                <td>
                  <StateMark state={variant.state} />{' '}
                  <span class="dim">
                    <Words of={cells[STATE]!.slice(variant.state.length).replace(/^: /, '')} />
                  </span>
                </td>
                {cells.slice(STATE + 1).map((cell, i) => (
                  <td key={COMPARED_HEADINGS[STATE + 1 + i]} class="nowrap">
                    <Words of={cell} />
                  </td>
                ))}
                <td>
                  {picked?.n === n ? (
                    'applied'
                  ) : variant.state === 'done' && variant.commit !== null && removed === null ? (
                    <button
                      type="button"
                      class="button small"
                      onClick={() => (wish.value = { what: 'pick', n, name })}
                      aria-label={`Apply the changes of ${name}`}
                    >
                      Apply …
                    </button>
                  ) : (
                    '-'
                  )}
                </td>
              </tr>
            );
          })}
        </Table>
      </Panel>
      <div class="columns">
        {variants.map(({ n, name, sentence, evidence, lacks, answer, diff_problem: problem }) => (
          <Panel key={n} title={<Words of={`${n}. ${name}`} />}>
            {sentence !== null && (
              <p class="notice bad">
                <Words of={sentence} />
              </p>
            )}
            {evidence !== null && <Quote of={evidence} label={`Evidence of ${name}`} />}
            {lacks.map((lack) => (
              <p class="notice wait" key={lack}>
                <Words of={lack} />
              </p>
            ))}
            {answer === null ? (
              <p class="dim">There is no answer.</p>
            ) : (
              <Markdown of={answer} label={`Answer of ${name}`} />
            )}
            {problem !== null && removed === null && (
              <p class="dim">
                Its changes cannot be shown: <Words of={problem} />
              </p>
            )}
          </Panel>
        ))}
      </div>
      {variants.map(
        ({ n, name }) =>
          diffs[n] && (
            <section key={n} class="stack">
              <h2>
                Changes of <Words of={name} />
              </h2>
              <Diff of={diffs[n]} label={`Changes of ${name}`} name={`${name}.patch`} outside={new Set()} />
            </section>
          ),
      )}
      {wish.value !== null && (
        <Ask id={report.comparison_id} wish={wish.value} renew={renew} onClose={() => (wish.value = null)} />
      )}
    </>
  );
}

const STATE = 2;

const HEADS = [...COMPARED_HEADINGS, 'apply'].map((name) => name.replace(/^./, (first) => first.toUpperCase()));

function Ask({ id, wish, renew, onClose }: { id: string; wish: Wish; renew: () => void; onClose: () => void }) {
  const { title, says, verb } = {
    pick: {
      title: 'Apply the changes',
      says: `The changes of ${wish.what === 'pick' ? wish.name : ''} are written to your tree, uncommitted. Nothing is paid.`,
      verb: 'Apply',
    },
    remove: {
      title: 'Remove the worktrees',
      says: 'The worktrees and branches are removed, with what is not applied. The answers remain.',
      verb: 'Remove',
    },
    resume: {
      title: 'Resume the comparison',
      says: 'The variants that are not done run again. This pays for calls.',
      verb: 'Resume',
    },
  }[wish.what];
  const send = async () => {
    const problem = await request(id, wish);
    if (problem !== null) tellProblem(problem);
    renew();
    return problem;
  };
  return (
    <Confirm title={title} verb={verb} tone={wish.what === 'remove' ? 'grave' : 'main'} act={send} onClose={onClose}>
      <p>
        <Words of={says} />
      </p>
    </Confirm>
  );
}

function request(id: string, wish: Wish): ReturnType<typeof change> {
  if (wish.what === 'pick') return change('/api/compare/pick', { comparison: id, n: wish.n });
  const path: keyof Actions = wish.what === 'remove' ? '/api/compare/remove' : '/api/compare/resume';
  return change(path, { comparison: id });
}
