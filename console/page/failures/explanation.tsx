// Explains the class of a failure: the evidence, the rule that matched, the signature, and what to do.

import type { FailureExplanation } from '../../contract/overviews.ts';
import { ActionList } from '../parts/actions.tsx';
import { Mark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Ago } from '../parts/times.tsx';
import { Quote, Words } from '../text/words.tsx';

export function Explanation({ of }: { of: FailureExplanation }) {
  const { stage, tool, at, resolved_at, class: errorClass, reason, evidence, rule, signature, signed, seen } = of;
  return (
    <div class="columns">
      <Panel title="What happened">
        <p>
          <Mark tone="bad" word={errorClass} icon="failed" /> <Words of={of.sentence} />
        </p>
        <dl class="facts">
          <dt>Reason</dt>
          <dd>{reason === null ? 'none' : <Words of={reason.replaceAll('_', ' ')} />}</dd>
          <dt>Stage</dt>
          <dd>
            {stage === null ? 'before the first' : <Words of={stage} />}
            {tool && `, by ${tool}`}
          </dd>
          <dt>When</dt>
          <dd>
            <Ago at={at} />
            {resolved_at && (
              <>
                , resolved <Ago at={resolved_at} />
              </>
            )}
          </dd>
          <dt>Seen</dt>
          <dd>
            {seen.in_run ?? 'unknown'} in this run, {seen.in_life ?? 'unknown'} since the task began
          </dd>
          <dt>Then</dt>
          <dd>
            {of.decision === null ? 'nothing was decided' : <Words of={`${of.decision.action}: ${of.decision.why}`} />}
          </dd>
        </dl>
      </Panel>
      <Panel title="What to do">
        <ActionList of={of.next_actions} hasMain={false} failedAt={at} />
      </Panel>
      <Panel title="Evidence">
        {evidence === null ? (
          <p class="dim">None was needed.</p>
        ) : (
          <>
            {evidence.source !== 'failure' && (
              <p class="dim">
                from <Words of={evidence.source} />
              </p>
            )}
            <Quote of={evidence.text} label="Evidence" as="code" />
          </>
        )}
      </Panel>
      {of.findings.map((finding) => (
        <Panel key={`${finding.check} ${finding.reason}`} title={`The gate: ${finding.check}`}>
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
        </Panel>
      ))}
      <details>
        <summary>Rule and signature</summary>
        <p>
          failures of this class:{' '}
          <Words
            of={`${of.retry.first.replaceAll('_', ' ')} the first time, then ${of.retry.again}: ${of.retry.report}`}
          />
        </p>
        {rule && (
          <p>
            matched by the rule <code>{rule.id}</code>
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
