// Renders a labelled field of a form, with a sentence of help: a text, or a choice among some values.

import { type ComponentChildren, type Signal, useId } from '../reactive.ts';

interface FieldProps {
  label: string;
  help?: string;
  children: (id: string) => ComponentChildren;
}

export function Field({ label, help, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
      {help && <small>{help}</small>}
    </div>
  );
}

interface TextFieldProps {
  of: Signal<string>;
  label: string;
  help?: string;
  /** Several lines. */
  rows?: number;
  mono?: boolean;
  mode?: 'numeric' | 'decimal';
  placeholder?: string;
  required?: boolean;
}

export function TextField({ of, label, help = '', rows, mono = false, mode, placeholder, required }: TextFieldProps) {
  const look = `input ${mono ? 'mono' : ''}`;
  return (
    <Field label={label} help={help}>
      {(id) =>
        rows === undefined ? (
          <input
            id={id}
            class={look}
            inputMode={mode}
            required={required}
            placeholder={placeholder}
            autocomplete="off"
            spellcheck={false}
            value={of.value}
            onInput={(event) => (of.value = event.currentTarget.value)}
          />
        ) : (
          <textarea
            id={id}
            class={look}
            rows={rows}
            required={required}
            spellcheck={!mono}
            value={of.value}
            onInput={(event) => (of.value = event.currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

interface ChoiceFieldProps {
  of: Signal<string>;
  label: string;
  among: readonly string[];
  /** What is shown in place of a value. */
  words?: Readonly<Record<string, string>>;
}

export function ChoiceField({ of, label, among, words = {} }: ChoiceFieldProps) {
  return (
    <Field label={label}>
      {(id) => (
        <select id={id} class="input" value={of.value} onChange={(event) => (of.value = event.currentTarget.value)}>
          {among.map((each) => (
            <option key={each} value={each}>
              {words[each] ?? each}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
