// Shows what the gate checked in each stage, and what it found.

import type { TaskShown } from '../../contract/task.ts';
import { Mark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty } from '../parts/shown.tsx';
import { Ago } from '../parts/times.tsx';
import { Words } from '../text/words.tsx';

export function Gates({ of: { gates } }: { of: TaskShown }) {
  if (gates.length === 0)
    return <Empty title="The gate has looked at nothing yet">It looks at an answer that a CLI has given.</Empty>;
  return (
    <div class="columns">
      {gates.map(({ stage, at, passed, checks, findings }) => (
        <Panel
          key={stage}
          title={<Words of={stage} />}
          aside={
            passed ? (
              <Mark tone="good" word="passed" icon="done" />
            ) : (
              <Mark tone="bad" word="did not pass" icon="failed" />
            )
          }
        >
          <ul class="checks">
            {checks.map(({ check, passed: isRight }) => (
              <li key={check}>
                <Mark {...(isRight ? PASSED : FOUND)} /> {check}
              </li>
            ))}
          </ul>
          {findings.map((finding) => (
            <div class="notice bad" key={`${finding.check} ${finding.reason}`}>
              <b>
                {finding.check}: {finding.reason.replaceAll('_', ' ')}
              </b>
              <p>
                <Words of={finding.text} />
              </p>
              {finding.missing.length > 0 && (
                <ul class="plain-list mono">
                  {finding.missing.map((each) => (
                    <li key={each}>
                      <Words of={each} />
                    </li>
                  ))}
                </ul>
              )}
            </div>
          ))}
          <p class="dim">
            <Ago at={at} />
          </p>
        </Panel>
      ))}
    </div>
  );
}

const PASSED = { tone: 'good', word: 'ok', icon: 'done' } as const;
const FOUND = { tone: 'bad', word: 'found', icon: 'failed' } as const;
