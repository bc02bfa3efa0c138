// Explains a failure: its tasks, the evidence, the rule that matched, the signature, and what to do.

import type { FailureExplanation, FailureShown } from '../../contract/overviews.ts';
import type { ResourcesOf } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { partOf } from '../live/requests.ts';
import { ActionList, goesOn } from '../parts/actions.tsx';
import { counted } from '../parts/figures.ts';
import { ClassMark } from '../parts/mark.tsx';
import { Facts } from '../parts/panel.tsx';
import { Shown } from '../parts/shown.tsx';
import { Ago } from '../parts/times.tsx';
import { useSignal } from '../reactive.ts';
import { to } from '../shell/route.ts';
import { Quote, Words } from '../text/words.tsx';

interface ExplanationProps {
  of: FailureExplanation;
  /** ISO time at which it was first seen. Given by a row that has its sentence, its count and the button of the rerun. */
  first?: string | null;
}

export function Explanation({ of, first }: ExplanationProps) {
  const { stage, tool, at, resolved_at, class: errorClass, reason, evidence, rule, signature, signed } = of;
  const next = of.next_actions;
  return (
    <div class="stack">
      {first === undefined && (
        <p>
          <ClassMark class={errorClass} reason={reason} /> <Words of={of.sentence} />
        </p>
      )}
      <ActionList of={next} hasMain={false} failedAt={at} elsewhere={first === undefined ? undefined : goesOn(next)} />
      {evidence !== null && (
        <div>
          {evidence.source !== 'failure' && (
            <p class="dim">
              from <Words of={evidence.source} />
            </p>
          )}
          <Quote of={evidence.text} label="Evidence" as="code" />
        </div>
      )}
      {of.findings.map((finding) => (
        <div key={`${finding.check} ${finding.reason}`} class="notice bad">
          <b>The gate: {finding.check}</b>
          <p>
            <Words of={finding.text} />
          </p>
          {finding.missing.length > 0 && (
            <ul class="plain-list">
              {finding.missing.map((each) => (
                <li key={each} class="mono">
                  <Words of={each} />
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
      <Facts
        of={[
          ['Stage', <Words key="stage" of={`${stage ?? 'before the first'}${tool ? `, by ${tool}` : ''}`} />],
          ...(first ? ([['First seen', <Ago key="first" at={first} />]] as const) : []),
          ['Failed', <Ago key="at" at={at} />],
          ...(resolved_at ? ([['Resolved', <Ago key="resolved" at={resolved_at} />]] as const) : []),
          [
            'Then',
            of.decision === null ? (
              'nothing was decided'
            ) : (
              <Words key="then" of={`${of.decision.action}: ${of.decision.why}`} />
            ),
          ],
        ]}
      />
      <details>
        <summary>Rule and signature</summary>
        <p>
          Class and reason in records:{' '}
          <code class="mono">
            <Words of={`${errorClass} (${reason ?? 'no reason'})`} />
          </code>
        </p>
        <p>
          Failures of this class:{' '}
          <Words
            of={`${of.retry.first.replaceAll('_', ' ')} the first time, then ${of.retry.again}: ${of.retry.report}`}
          />
        </p>
        {rule && (
          <p>
            Matched by the rule <code>{rule.id}</code>
            {rule.of === 'project' && ' of this project'}
          </p>
        )}
        {rule?.row && <Quote of={JSON.stringify(rule.row, null, 2)} label="The rule" as="code" />}
        <p>{signature === null ? 'The failure has no signature.' : <code class="mono">{signature}</code>}</p>
        {signed && <Quote of={JSON.stringify(signed, null, 2)} label="Text of the signature" as="code" />}
      </details>
    </div>
  );
}

/** The user can show the others with a button. */
const FIRST_TASKS = 12;

/** The tasks of the failure, and the explanation of the one that failed last. */
export function Chosen({ of: { task_ids: ids, first_seen: first } }: { of: FailureShown }) {
  const id = ids[0]!;
  const all = useSignal(false);
  const shown = all.value ? ids : ids.slice(0, FIRST_TASKS);
  const explained = useFollowing<ResourcesOf['explain']>(
    `/api/tasks/${partOf(id)}/explain`,
    (topic, of) => topic === '*' || (topic === 'task' && (of === null || of === id)),
  );
  return (
    <section class="failure-why" aria-label="The chosen failure">
      <ul class="chips">
        {shown.map((each) => (
          <li key={each}>
            <a class="chip" href={to('tasks', each)}>
              <Words of={each} />
            </a>
          </li>
        ))}
        {shown.length < ids.length && (
          <li>
            <button type="button" class="chip" onClick={() => (all.value = true)}>
              all {counted(ids.length, 'task')}
            </button>
          </li>
        )}
      </ul>
      <Shown of={explained} what="the explanation">
        {({ explanation, message }) =>
          explanation === null ? (
            <p class="dim">
              <Words of={message} />
            </p>
          ) : (
            <Explanation of={explanation} first={first} />
          )
        }
      </Shown>
    </section>
  );
}
