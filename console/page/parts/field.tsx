// Renders the labelled fields of forms, with a sentence of help, and those that filter the rows below them.

import { classWord } from '../../../policies/facts/classes.ts';
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

interface FilterFieldProps {
  label: string;
  value: string;
  onInput: (text: string) => void;
}

/** `/` focuses it. */
export function FilterField({ label, value, onInput }: FilterFieldProps) {
  const id = useId();
  return (
    <div class="search">
      <label for={id} class="unseen">
        {label}
      </label>
      <input
        id={id}
        type="search"
        class="input"
        value={value}
        placeholder={`${label}  ( / )`}
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onInput('');
        }}
      />
    </div>
  );
}

/** A class by its name for people, and by the one in records, which can be searched for. */
export const classChoice = (name: string): readonly [value: string, name: string] => [
  name,
  `${classWord(name)} (${name})`,
];

interface FilterChoiceProps {
  label: string;
  value: string;
  /** The first row, with the value '', chooses all. */
  among: readonly (readonly [value: string, name: string])[];
  onChoose: (value: string) => void;
}

export function FilterChoice({ label, value, among, onChoose }: FilterChoiceProps) {
  const id = useId();
  return (
    <div class="filter-choice">
      <label for={id}>{label}</label>
      <select id={id} class="input" value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {among.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
