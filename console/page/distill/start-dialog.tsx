// Starts a distillation: the user gives the path of the book on this machine, and the prompt as text.

import { change } from '../live/change.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useId, useSignal } from '../reactive.ts';

const MODELS = ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-lite'];

export function StartDialog({ onClose }: { onClose: () => void }) {
  const book = useSignal('');
  const prompt = useSignal('');
  const model = useSignal(MODELS[0]!);
  const calls = useSignal('');
  const ids = { book: useId(), prompt: useId(), model: useId(), calls: useId() };
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
      <div class="field">
        <label for={ids.book}>The book</label>
        <input
          id={ids.book}
          class="input mono"
          autocomplete="off"
          spellcheck={false}
          placeholder="books/walden.epub"
          value={book.value}
          onInput={(event) => (book.value = event.currentTarget.value)}
        />
        <small>A PDF or an EPUB, by its path on this machine.</small>
      </div>
      <div class="field">
        <label for={ids.prompt}>Instruction (optional)</label>
        <textarea
          id={ids.prompt}
          class="input"
          rows={6}
          value={prompt.value}
          onInput={(event) => (prompt.value = event.currentTarget.value)}
        />
        <small>Without one, a general prompt distils the book chapter by chapter.</small>
      </div>
      <div class="columns narrow">
        <div class="field">
          <label for={ids.model}>Model</label>
          <select
            id={ids.model}
            class="input"
            value={model.value}
            onChange={(event) => (model.value = event.currentTarget.value)}
          >
            {MODELS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for={ids.calls}>Paid calls at the most</label>
          <input
            id={ids.calls}
            class="input"
            inputMode="numeric"
            autocomplete="off"
            value={calls.value}
            onInput={(event) => (calls.value = event.currentTarget.value)}
          />
        </div>
      </div>
      <p class="dim">Each section is a paid call to the Gemini API, with the key of the console’s environment.</p>
    </Confirm>
  );
}
