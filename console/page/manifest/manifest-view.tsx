// Shows the manifest of a task in an editor, with help, its mistakes and what a run would pay; saves it over the version that was seen.

import type { Resources, ResourcesOf } from '../../contract/resources.ts';
import type { ChoicesShown, DraftShown, ManifestShown } from '../../contract/task.ts';
import { type Following, useFollowing } from '../live/follow.ts';
import { change, loadLate, partOf, read, type Trouble, write } from '../live/requests.ts';
import { Panel } from '../parts/panel.tsx';
import { Shown, type ShownTrouble, TroubleNotice } from '../parts/shown.tsx';
import { useEffect, useRef, useSignal } from '../reactive.ts';
import { DraftResult } from '../tasks/draft-result.tsx';
import { Quote, Words } from '../text/words.tsx';
import type { EditorSettings, FieldHelp, ManifestEditor } from './editor.ts';

export function ManifestView({ id, state }: { id: string; state: string }) {
  const manifest = useFollowing<ResourcesOf['manifest']>(
    `/api/tasks/${partOf(id)}/manifest`,
    (topic, of) => topic === '*' || ((topic === 'task' || topic === 'tasks') && (of === null || of === id)),
  );
  // Another program may have changed it while the user was there.
  useEffect(() => {
    addEventListener('focus', manifest.renew);
    return () => removeEventListener('focus', manifest.renew);
  }, []);
  useEffect(() => manifest.renew(), [state]);
  return (
    <Shown of={manifest} what="the manifest">
      {(shown) => <Editor id={id} file={shown} renew={manifest.renew} />}
    </Shown>
  );
}

const CHECK_MS = 400;

/** JSON in one line with a line for each value; null for any other text. */
function inLines(text: string): string | null {
  if (text.trim().includes('\n')) return null;
  try {
    return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
  } catch {
    return null;
  }
}

/** As it is read best. */
const readable = (text: string): string => inLines(text) ?? text;

interface EditorProps {
  id: string;
  file: ManifestShown;
  renew: Following<unknown>['renew'];
}

function Editor({ id, file, renew }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<ManifestEditor | null>(null);
  /** The version that the text began with. */
  const base = useSignal(file);
  const text = useSignal(readable(file.text));
  const found = useSignal<DraftShown | null>(null);
  const problem = useSignal<ShownTrouble | null>(null);
  const isBusy = useSignal(false);
  const field = useSignal<FieldHelp | null>(null);
  const isSame = text.value === base.value.text;
  const isChanged = !isSame && text.value !== readable(base.value.text);
  /** Whether the user wants the file to be on several lines. */
  const isFormatted = useSignal(false);
  const formatted = inLines(text.value);
  const isElsewhere = file.version !== base.value.version;

  useEffect(() => {
    const stop = new AbortController();
    void openIn({
      ...{ host: host.current!, text: text.value },
      onChange: (now) => (text.value = now),
      onField: (now) => (field.value = now),
    }).then((opened) => {
      if ('what' in opened) problem.value = opened;
      else if (stop.signal.aborted) opened.close();
      else {
        editor.current = opened;
        opened.lock(file.locked !== null);
      }
    });
    return () => {
      stop.abort();
      editor.current?.close();
    };
  }, []);
  useEffect(() => editor.current?.lock(file.locked !== null), [file.locked]);
  useEffect(() => {
    if (!isElsewhere || (isChanged && file.text !== text.value)) return;
    take();
  }, [file.version]);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      const answered = await write<DraftShown>('/api/manifest/check', { task: id, text: text.value });
      if (stop.signal.aborted) return;
      found.value = answered.how === 'failed' ? null : answered.value;
      if (answered.how === 'failed') problem.value = answered.problem;
      editor.current?.mark(found.value?.problems ?? []);
    }, CHECK_MS);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [text.value]);

  /** Shows the text of the file. */
  function take(): void {
    base.value = file;
    const shown = readable(file.text);
    if (text.value !== shown) editor.current?.replace(shown);
    text.value = shown;
  }
  const format = (lines: string) => {
    isFormatted.value = true;
    editor.current?.replace(lines);
  };
  const save = async () => {
    isBusy.value = true;
    problem.value = await change('/api/manifest', { task: id, text: text.value, version: base.value.version });
    isBusy.value = false;
    renew();
  };
  return (
    <div class="stack">
      <Panel
        title={file.name}
        aside={
          <div class="buttons">
            <span class="dim">
              {isChanged ? 'not saved yet' : isSame ? 'as in the file' : 'shown formatted; the file is one line'}
            </span>
            {formatted !== null && (
              <button type="button" class="button small" onClick={() => format(formatted)}>
                Format
              </button>
            )}
            {!isChanged && !isSame && (
              <button type="button" class="button small" onClick={() => editor.current?.replace(base.value.text)}>
                As in the file
              </button>
            )}
            <button
              type="button"
              class={`button small ${isChanged ? 'main' : ''}`}
              disabled={
                isSame || !(isChanged || isFormatted.value) || isElsewhere || file.locked !== null || isBusy.value
              }
              onClick={save}
            >
              Save
            </button>
          </div>
        }
      >
        {file.locked !== null && (
          <p class="notice wait">
            <Words of={`It cannot be saved here: ${file.locked}.`} />
          </p>
        )}
        <div ref={host} class="manifest-editor" />
        <p class="dim">
          {field.value === null ? (
            'Put the cursor into a field to read what it means. Ctrl+Space lists the fields and values that fit.'
          ) : (
            <>
              <code class="inline">{field.value.name}</code> {field.value.about}
            </>
          )}
        </p>
      </Panel>
      {problem.value && <TroubleNotice of={problem.value} />}
      {isElsewhere && isChanged && file.text !== text.value && (
        <Panel
          title="The file was changed by another program"
          aside={
            <div class="buttons">
              <button type="button" class="button small" onClick={take}>
                Take the file’s text
              </button>
              <button type="button" class="button small" onClick={() => (base.value = file)}>
                Keep my text
              </button>
            </div>
          }
        >
          <Quote of={file.text} label="The text of the file now" as="code" />
        </Panel>
      )}
      <div aria-live="polite">
        {found.value && <DraftResult of={found.value} onLine={(line) => editor.current?.goTo(line)} />}
      </div>
    </div>
  );
}

async function openIn(
  place: Pick<EditorSettings, 'host' | 'text' | 'onChange' | 'onField'>,
): Promise<ManifestEditor | Trouble> {
  const [schema, choices, open] = await Promise.all([
    read<Resources['/api/schema']>('/api/schema'),
    read<Resources['/api/choices']>('/api/choices'),
    loadLate<(settings: EditorSettings) => ManifestEditor>('editor.js', 'openManifestEditor'),
  ]);
  if (schema.how === 'failed') return schema.problem;
  if ('what' in open) return open;
  const values = choices.how === 'failed' ? {} : namesIn(choices.value);
  return open({ ...place, schema: schema.value, values });
}

const namesIn = ({ tools, roles, pipelines }: ChoicesShown): EditorSettings['values'] => ({
  tool: tools.filter(({ lacks }) => lacks === null).map(({ tool }) => tool),
  role: roles.map(({ role }) => role),
  pipeline: pipelines.map(({ name }) => name),
});
