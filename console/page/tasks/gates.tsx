// Shows what the gate checked in a stage, and what it found.

import type { TaskShown } from '../../contract/task.ts';
import { Mark } from '../parts/mark.tsx';
import { Ago } from '../parts/times.tsx';
import { to } from '../shell/route.ts';
import { Words } from '../text/words.tsx';

export function GateOf({ of, task }: { of: TaskShown['gates'][number]; task: string }) {
  const { at, passed, checks, findings } = of;
  return (
    <div class="gate-of attempt">
      <p>
        <b>Gate</b>{' '}
        {passed ? (
          <Mark tone="good" word="passed" icon="done" />
        ) : (
          <Mark tone="bad" word="did not pass" icon="failed" />
        )}{' '}
        <span class="dim">
          <Ago at={at} />, <a href={to('tasks', task, 'changes')}>what changed</a>
        </span>
      </p>
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
    </div>
  );
}

const PASSED = { tone: 'good', word: 'ok', icon: 'done' } as const;
const FOUND = { tone: 'bad', word: 'found', icon: 'failed' } as const;
