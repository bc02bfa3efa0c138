// Shows the diff of a tree; the sign of each line carries the same meaning as its colour.

import { useSignal } from '../reactive.ts';
import { signs } from './words.tsx';

const MOST_LINES = 1_000;

export function Diff({ of, label }: { of: string; label: string }) {
  const whole = useSignal(false);
  const lines = of.replace(/\n$/, '').split('\n');
  const shown = whole.value ? lines : lines.slice(0, MOST_LINES);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard */}
      <section class="said mono diff" tabIndex={0} aria-label={label}>
        {shown.map((line, at) => (
          <div key={at} class={kindOf(line)}>
            {line === '' ? '\u00a0' : signs(line.length > 4_000 ? `${line.slice(0, 4_000)}…` : line)}
          </div>
        ))}
      </section>
      {shown.length < lines.length && (
        <button type="button" class="button small" onClick={() => (whole.value = true)}>
          Show all {lines.length.toLocaleString('en')} lines
        </button>
      )}
    </>
  );
}

function kindOf(line: string): string {
  if (/^(?:diff |index |--- |\+\+\+ |new file|deleted file|rename |similarity )/.test(line)) return 'of-file';
  if (line.startsWith('@@')) return 'place';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
}
