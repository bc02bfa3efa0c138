// Renders the field that `/` focuses; its text filters the rows below.

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
