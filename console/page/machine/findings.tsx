// What preflight found of the machine, and how each is mended.

import type { CheckFinding } from '../../../policies/facts/finding.ts';
import { Mark } from '../parts/mark.tsx';
import { Words } from '../text/words.tsx';

const LOOKS = {
  ok: { tone: 'good', icon: 'done', word: 'ok' },
  note: { tone: 'calm', icon: 'none', word: 'note' },
  warn: { tone: 'wait', icon: 'waiting', word: 'warning' },
  fail: { tone: 'bad', icon: 'failed', word: 'fails' },
} as const satisfies Record<CheckFinding['status'], object>;

export function Findings({ of }: { of: readonly CheckFinding[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section class="table-box" tabIndex={0} aria-label="Checks">
      <table>
        <thead>
          <tr>
            <th scope="col">Check</th>
            <th scope="col">How it is</th>
            <th scope="col">Found</th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ check, status, found, fix }) => (
            <tr key={`${check} ${found}`}>
              <th scope="row">
                <Words of={check} />
              </th>
              <td>
                <Mark {...LOOKS[status]} />
              </td>
              <td>
                <Words of={found} />
                {fix && (
                  <p class="dim">
                    <Words of={fix} />
                  </p>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
