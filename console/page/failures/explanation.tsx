// Explains the class of a failure: the evidence, the rule that matched, the signature, and what to do.

import type { FailureExplanation } from '../../contract/overviews.ts';
import { ActionList, goesOn } from '../parts/actions.tsx';
import { ClassMark } from '../parts/mark.tsx';
import { Facts } from '../parts/panel.tsx';
import { Ago } from '../parts/times.tsx';
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
