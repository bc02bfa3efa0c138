// Renders the field that `/` focuses, and a choice: both filter the rows below.

import { classWord } from '../../../policies/facts/classes.ts';
import { useId } from '../reactive.ts';

interface FilterFieldProps {
  label: string;
  value: string;
  onInput: (text: string) => void;
}

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
