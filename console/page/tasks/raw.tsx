// Shows the files of a task as they are: its summary, the explanation of its failure, and texts, each read when it is opened.

import type { ResourcesOf } from '../../contract/resources.ts';
import type { TaskShown } from '../../contract/task.ts';
import { Explanation } from '../failures/explanation.tsx';
import { useFollowing } from '../live/follow.ts';
import { partOf } from '../live/requests.ts';
import { CopyButton } from '../parts/copy.tsx';
import { bytes } from '../parts/figures.ts';
import { Panel } from '../parts/panel.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { useEffect, useRef, useSignal } from '../reactive.ts';
import { route, to } from '../shell/route.ts';
import { Markdown } from '../text/markdown.tsx';
import { Quote, Words } from '../text/words.tsx';

export function Raw({ of }: { of: TaskShown }) {
  const shows = route.value.query.get('text');
  return (
    <div class="stack">
      {of.state !== 'done' && <Explained id={of.task_id} />}
      <Panel
        title="Summary"
        aside={
          <span class="mono dim">
            <Words of={of.folder} />
          </span>
        }
      >
        {of.summary === null ? (
          <Empty title="No summary yet">A run writes it when it ends.</Empty>
        ) : (
          <Markdown of={withNames(of.summary, of)} label="Summary" lines="kept" opens={(name) => addressOf(name, of)} />
        )}
      </Panel>
      <Panel title="Files">
        {of.texts.length === 0 ? (
          <Empty title="Nothing was sent yet" />
        ) : (
          filesByStage(of, shows).map(([stage, texts]) => (
            <section key={stage} class="stack" aria-label={stage}>
              <h3>
                <Words of={stage} />
              </h3>
              <TextsOf task={of.task_id} of={texts} shows={shows} />
            </section>
          ))
        )}
      </Panel>
    </div>
  );
}

/** A session, as a summary names it. */
const SESSION = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;

/** The summary without what the head of the page says, with short paths, and the names that it opens between backticks. */
function withNames(summary: string, { folder, texts }: TaskShown): string {
  const lines = summary
    .replace(/^# Task .*\n\n(?:Goal: .*\n\n?)?/, '')
    .replaceAll(`${folder}/`, '')
    .split('\n');
  const names = new Set(texts.map(({ name }) => name));
  return lines
    .filter((line) => line !== 'Files: outputs/')
    .map((line) => {
      const [label = '', value = ''] = line.split(/: (.*)/, 2);
      if (names.has(value)) return `${label}: \`${value}\``;
      return line
        .replace(/^(?:Budget|Sessions|Next):/, '**$&**')
        .replace(new RegExp(SESSION, 'g'), line.startsWith('Sessions: ') ? '`$&`' : '$&');
    })
    .join('\n');
}

function addressOf(name: string, { task_id: task, texts, attempts }: TaskShown): string | undefined {
  if (texts.some((text) => text.name === name)) return `${to('tasks', task, 'raw')}?text=${partOf(name)}`;
  return attempts.some((each) => each.session_kept && each.session_id === name) ? to('sessions', name) : undefined;
}

/** The files that have something in them, below the stage that they are named after. */
function filesByStage({ stages, texts }: TaskShown, shows: string | null): [string, TaskShown['texts']][] {
  const plain = (name: string) => name.slice(name.lastIndexOf('/') + 1).replaceAll('.', '_');
  const groups = new Map<string, TaskShown['texts']>(stages.map(({ stage }) => [stage, []]));
  for (const text of texts) {
    if (text.bytes === 0 && text.name !== shows) continue;
    const fits = stages.filter(({ stage }) => plain(text.name).startsWith(`${plain(stage)}_`));
    const stage = fits.sort((a, b) => b.stage.length - a.stage.length)[0]?.stage ?? 'Other files';
    groups.set(stage, [...(groups.get(stage) ?? []), text]);
  }
  return [...groups].filter(([, of]) => of.length > 0);
}

/** Why the task failed, as `tollgate explain` reports it. */
function Explained({ id }: { id: string }) {
  const explained = useFollowing<ResourcesOf['explain']>(
    `/api/tasks/${partOf(id)}/explain`,
    (topic, of) => topic === '*' || (topic === 'task' && of === id),
  );
  return (
    <Shown of={explained} what="the explanation">
      {({ explanation, message }) =>
        explanation === null ? (
          <p class="dim">
            <Words of={message} />
          </p>
        ) : (
          <Panel title="Why it failed">
            <Explanation of={explanation} />
          </Panel>
        )
      }
    </Shown>
  );
}

interface TextsProps {
  task: string;
  of: TaskShown['texts'];
  /** The kind of text that is open from the start. */
  opens?: TaskShown['texts'][number]['what'];
  /** The name of the text that is open and in sight from the start. */
  shows?: string | null;
}

export function TextsOf({ task, of, opens, shows = null }: TextsProps) {
  return (
    <ul class="texts">
      {of.map((text) => (
        <TextOf
          key={text.name}
          task={task}
          of={text}
          isFirstOpen={text.what === opens}
          isSought={text.name === shows}
        />
      ))}
    </ul>
  );
}

/** A stage has two records: of its call, and of the gate that checked it. */
const wordFor = (name: string, what: string): string =>
  what === 'record' ? `${name.endsWith('.gate.json') ? 'gate' : 'call'} record` : what;

interface TextProps {
  task: string;
  of: TaskShown['texts'][number];
  isFirstOpen: boolean;
  isSought: boolean;
}

function TextOf({ task, of: { name, what, bytes: size }, isFirstOpen, isSought }: TextProps) {
  const isOpen = useSignal(isFirstOpen || isSought);
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isSought) item.current?.scrollIntoView();
  }, [isSought]);
  return (
    <li ref={item}>
      <details
        class="opens"
        open={isFirstOpen || isSought}
        onToggle={(event) => (isOpen.value = event.currentTarget.open)}
      >
        <summary>
          <b>{wordFor(name, what)}</b>{' '}
          <span class="mono">
            <Words of={name} />
          </span>{' '}
          <span class="dim">{bytes(size)}</span>
        </summary>
        {isOpen.value && <OpenText task={task} name={name} what={wordFor(name, what)} />}
      </details>
    </li>
  );
}

/** Of a long text the beginning and, when the user requests it, the end are shown, so that the page stays small. */
function Rest({ task, name, cut }: { task: string; name: string; cut: number }) {
  const isShown = useSignal(false);
  if (isShown.value) return <EndOf task={task} name={name} />;
  return (
    <p class="dim buttons">
      {bytes(cut)} more are in the file.{' '}
      <button type="button" class="button small" onClick={() => (isShown.value = true)}>
        Show the end
      </button>
    </p>
  );
}

function EndOf({ task, name }: { task: string; name: string }) {
  const end = useFollowing<ResourcesOf['text']>(
    `/api/tasks/${partOf(task)}/texts/${partOf(name)}/end`,
    (topic, id) => topic === 'task' && id === task,
  );
  return (
    <Shown of={end} what="the end of the text">
      {({ text }) => (
        <>
          <p class="dim">The end of the file:</p>
          <Quote of={text} label={`The end of ${name}`} as="code" />
        </>
      )}
    </Shown>
  );
}

function OpenText({ task, name, what }: { task: string; name: string; what: string }) {
  const text = useFollowing<ResourcesOf['text']>(
    `/api/tasks/${partOf(task)}/texts/${partOf(name)}`,
    (topic, id) => topic === 'task' && id === task,
  );
  return (
    <Shown of={text} what="the text">
      {({ text: said, cut }) => (
        <>
          {what === 'answer' ? <Markdown of={said} label={name} /> : <Quote of={said} label={name} as="code" />}
          <CopyButton text={said} name={`Copy ${what}`} />
          {cut > 0 && <Rest task={task} name={name} cut={cut} />}
        </>
      )}
    </Shown>
  );
}
