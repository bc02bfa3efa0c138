// Shows one distillation: its progress, why it paused, the document so far, and the available actions.

import type { BookShown } from '../../contract/overviews.ts';
import type { Actions } from '../../contract/page.ts';
import type { ResourcesOf } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { change, partOf } from '../live/requests.ts';
import { ActionList } from '../parts/actions.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { count, counted, lasting, money, short } from '../parts/figures.ts';
import { Cost, Mark, StateMark } from '../parts/mark.tsx';
import { Facts, Meter, Panel } from '../parts/panel.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { Table } from '../parts/table.tsx';
import { Countdown, Elapsed } from '../parts/times.tsx';
import { useSignal } from '../reactive.ts';
import { tellProblem } from '../shell/notes.tsx';
import { to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { Markdown } from '../text/markdown.tsx';
import { Quote, Words } from '../text/words.tsx';
import { stateOf } from './distill-view.tsx';

export function BookView({ name }: { name: string }) {
  const book = useFollowing<ResourcesOf['book']>(
    `/api/distill/${partOf(name)}`,
    (topic, id) => topic === '*' || (topic === 'distill' && (id === null || id === name)),
  );
  return (
    <View
      crumbs={<a href={to('distill')}>Distill</a>}
      title={<Words of={name} />}
      beside={book.value.value && <StateMark state={stateOf(book.value.value.state)} />}
    >
      <Shown of={book} what="the book" list={{ name: 'All books', address: to('distill') }}>
        {(shown) => <Sheet of={shown} />}
      </Shown>
    </View>
  );
}

/** Of `paused (the disk is full)`: `Paused: the disk is full`. */
const sentenceOf = (state: string): string =>
  `${state.charAt(0).toUpperCase()}${state.slice(1)}`.replace(/ \((.+)\)$/, ': $1');

const headsOf = (hasTime: boolean) => [
  { number: 'Section' },
  'Title',
  'State',
  { number: 'Attempts' },
  ...(hasTime ? [{ number: 'Time' }] : []),
  { number: 'Cost' },
];

function SectionRow({ of, hasTime }: SectionRowProps) {
  const { section, title, state, attempts, ms, since, usd, unpriced } = of;
  return (
    <tr>
      <td class="number">{section}</td>
      <td class="wide">{title === null ? '–' : <Words of={withoutNumber(title)} />}</td>
      <td>
        <Mark {...SECTION_MARKS[state]} word={state} />
      </td>
      <td class="number">{count(attempts)}</td>
      {hasTime && (
        <td class="number">
          {since !== null ? <Elapsed from={since} /> : ms === 0 ? '–' : <span class="nowrap">{lasting(ms)}</span>}
        </td>
      )}
      <td class="number nowrap">
        <Cost usd={usd} without={unpriced} one="answer" as="cell" />
      </td>
    </tr>
  );
}

/** What a section of the document has cost. */
function AboutSection({ of }: { of: BookShown['requested'][number] | undefined }) {
  if (of === undefined) return null;
  return (
    <>
      , {counted(of.attempts, 'attempt')}
      {of.ms > 0 && `, ${lasting(of.ms)}`}
      {of.usd !== null && `, ${money(of.usd)}`}
    </>
  );
}

type SectionRowProps = { of: BookShown['requested'][number]; hasTime: boolean };

/** Its number is before it. */
const withoutNumber = (title: string): string => title.replace(/^section \d+: (?=\S)/i, '');

/** The head of its panel has the title already. */
const withoutTitle = (text: string, title: string): string => {
  const [, heading, rest] = /^#+ +([^\n]*)\n([\s\S]*)$/.exec(text) ?? [];
  return heading?.trim() === title ? rest! : text;
};

const SECTION_MARKS = {
  accepted: { tone: 'good', icon: 'done' },
  held: { tone: 'wait', icon: 'parked' },
  running: { tone: 'busy', icon: 'busy' },
  open: { tone: 'calm', icon: 'none' },
} as const;

function Sheet({ of }: { of: BookShown }) {
  const deleting = useSignal<number | null>(null);
  const { name, state, calls, tokens, usd, document, trace, next_actions: next, evidence } = of;
  const act = async <P extends keyof Actions>(path: P, wish: Actions[P]) => {
    const problem = await change(path, wish);
    if (problem !== null) tellProblem(problem);
  };
  const isRunning = state === 'running';
  const hasReason = state !== stateOf(state);
  const hasTime = of.requested.some(({ ms, since }) => ms > 0 || since !== null);
  const missing = of.requested.filter(({ section }) => !document.some((each) => each.section === section));
  const isOpen = !isRunning && state !== 'complete' && next.length > 0;
  return (
    <>
      {isOpen && evidence !== '' && (
        <section class="panel failure" aria-label="Why it paused">
          <p class="sentence">
            <Words of={sentenceOf(state)} />
          </p>
          <Quote of={evidence} label="Evidence" as="code" />
          <ActionList of={next} />
        </section>
      )}
      {isOpen && evidence === '' && (
        <Panel title="Next">
          <ActionList of={next} />
        </Panel>
      )}
      <Panel
        title={state === 'complete' ? 'Result' : 'Progress'}
        aside={
          isRunning && (
            <div class="buttons">
              <button type="button" class="button small" onClick={() => act('/api/distill/pause', { name })}>
                Pause
              </button>
              <button type="button" class="button small grave" onClick={() => act('/api/distill/stop', { name })}>
                Stop
              </button>
            </div>
          )
        }
      >
        {hasReason && evidence === '' && (
          <p class="soft">
            <Words of={`${sentenceOf(state)}.`} />
          </p>
        )}
        <Facts
          of={[
            ['Sections', count(of.sections)],
            ['Cost', <Cost key="usd" usd={usd} without={of.unpriced_answers} one="answer" />],
            ['Budget', `${count(calls.used)} of ${count(calls.total)} paid calls`],
            ['Tokens', short(tokens)],
            ['Model', <Words key="model" of={of.model} />],
          ]}
        />
        {state !== 'complete' && <Meter used={calls.used} of={calls.total} />}
        {of.waits_until !== null && (
          <p role="status">
            Asks again in <Countdown to={of.waits_until} />.
          </p>
        )}
        <div class="buttons">
          <span class="dim">Export as</span>
          {['md', 'txt', 'pdf'].map((format, nth) => (
            <a
              key={format}
              class={`button small ${nth === 0 && state === 'complete' ? 'main' : ''}`}
              href={`/api/distill/${partOf(name)}/export.${format}`}
              download
            >
              {{ md: 'Markdown', txt: 'Text', pdf: 'PDF' }[format]}
            </a>
          ))}
        </div>
      </Panel>
      {missing.length > 0 && (
        <Panel title="Sections that are not in the document" edge="flush">
          <Table label="Sections" heads={headsOf(hasTime)}>
            {missing.map((section) => (
              <SectionRow key={section.section} of={section} hasTime={hasTime} />
            ))}
          </Table>
        </Panel>
      )}
      <h2>The document</h2>
      {document.length === 0 ? (
        <Empty title="No section yet" />
      ) : (
        <ol class="stack" aria-live="polite" aria-relevant="additions">
          {document.map(({ section, title, chars, text, state: how }) => (
            <li key={section} class="panel">
              <div class="panel-head">
                <h3>
                  {section}. <Words of={withoutNumber(title)} />
                </h3>
                <span class="buttons">
                  {how === 'held' && <Mark tone="wait" word="held" icon="parked" />}
                  <span class="dim">
                    {count(chars)} characters
                    <AboutSection of={of.requested.find((each) => each.section === section)} />
                  </span>
                  <button
                    type="button"
                    class="button small quiet"
                    onClick={() => {
                      deleting.value = section;
                    }}
                  >
                    Delete<span class="unseen"> section {section}</span>
                  </button>
                </span>
              </div>
              <div class="panel-body">
                <Markdown of={withoutTitle(text, title)} label={`Section ${section}`} />
              </div>
            </li>
          ))}
        </ol>
      )}
      <details>
        <summary>Trace, {counted(trace.length, 'line')}</summary>
        <Quote of={trace.join('\n')} label="Trace" as="code" />
      </details>
      {deleting.value !== null && (
        <Confirm
          title={`Delete section ${deleting.value}?`}
          verb="Delete"
          tone="grave"
          act={() => change('/api/distill/delete', { name, section: deleting.value! })}
          onClose={() => {
            deleting.value = null;
          }}
        >
          <p>
            It is taken out of the document and of its exports. When the distillation continues, it is requested and
            paid again.
          </p>
        </Confirm>
      )}
    </>
  );
}
