// Collects the facts of a failed call that decide its next actions: the manifest's lines, the CLI's sign-in, the prompt.

import type { CalledAs } from '../../policies/facts/next-action.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import type { PartSize } from '../../policies/prompt/part.ts';
import { splitAdvice } from '../../policies/prompt/split-advice.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import type { ManifestPlace, Situation, SituationField } from '../../policies/report/situation.ts';
import { tagOf } from '../../policies/session/session-entry.ts';
import { lookAt } from '../../state/disk/regular-file.ts';
import { budgetOf } from '../../state/journal/ledger.ts';
import { outputsOf, type TaskFolder } from '../../state/task-folder.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { homeOf } from '../../wrappers/home.ts';
import type { OpenTask, ReadTask } from './task.ts';

interface Failing {
  task: TaskFolder;
  called: CalledAs;
  /** null if the manifest cannot be read any more. */
  read: ReadTask | null;
  stage: { name: string; tool: Tool; model?: string | undefined };
  /** The folder in which the CLI ran. */
  cwd: string;
  environment: NodeJS.ProcessEnv;
  /** The task's remaining paid calls. */
  callsLeft: number;
  budget: number;
}

export interface SentPrompt {
  chars: number;
  /** The parts of the stage's own prompt, whatever its result was. */
  parts: readonly PartSize[];
  /** Whether it was sent in an existing session. */
  resumed: boolean;
  /** Whether tools ran, in this attempt or an earlier one. */
  ranTools: boolean;
}

/** Reads files of the project and of the CLI, and writes nothing; `sent` is null if no prompt is known. */
export function situationOf(
  { task, called, read, stage, cwd, environment, callsLeft, budget }: Failing,
  {
    verdict,
    session_id,
    ending,
    started_at,
  }: Pick<CallRecord, 'verdict' | 'session_id'> & { ending: CallRecord['ending'] | null; started_at?: string },
  sent: SentPrompt | null = null,
): Situation {
  const { tool } = stage;
  const { packageName, signIn } = adapterOf(tool);
  const home = homeOf(environment);
  const isOfKey = (verdict.class === 'auth' || verdict.reason === 'config') && home !== null;
  return {
    verdict,
    ...(started_at === undefined ? {} : { startedAt: started_at }),
    called,
    tool,
    sessionId: session_id,
    callsLeft,
    budget,
    ending,
    packageName,
    stderrFile: whereNotEmpty(outputsOf(task, stage).err),
    eventsFile: whereNotEmpty(outputsOf(task, stage).raw),
    ...(isOfKey && signIn !== null ? { key: signIn({ environment, home, cwd }) } : {}),
    ...(read === null
      ? {}
      : {
          tag: tagOf(read.manifest.meta.feature, task.id),
          namesSession: read.manifest.meta.session_id !== undefined,
          place: (field: SituationField) => placeOf(read, stage, field),
        }),
    ...(sent === null
      ? {}
      : {
          promptChars: sent.chars,
          largeParts: sent.parts.length === 0 ? [] : splitAdvice(sent.parts),
          resumed: sent.resumed,
          ranTools: sent.ranTools,
        }),
  };
}

export function failingIn(open: OpenTask, stage: Failing['stage'], environment: NodeJS.ProcessEnv): Failing {
  const { ledger } = open.journal.read();
  const budget = budgetOf(ledger);
  const callsLeft = Math.max(0, budget - ledger.used);
  return { task: open.task, called: open.called, read: open, stage, cwd: open.cwd, environment, callsLeft, budget };
}

/** A fallback's model is set in the stage's `fallback`; `cwd` is set for the task. */
function placeOf(
  { manifest, plans, placeOf: place }: NonNullable<Failing['read']>,
  stage: Failing['stage'],
  field: SituationField,
): ManifestPlace {
  const given = plans.find((plan) => plan.stage.name === stage.name)?.stage;
  if (field === 'cwd') return { ...place(null, 'cwd'), field, value: manifest.cwd ?? null };
  if (given !== undefined && given.tool !== stage.tool && field === 'model')
    return { ...place(stage.name, 'fallback'), field: 'fallback', value: stage.model ?? null };
  const { isSet, ...found } = place(stage.name, field);
  // For a pipeline's stage, the pipeline sets the value.
  return { ...found, field, value: isSet || found.unlisted !== null ? (given?.[field] ?? null) : null };
}

function whereNotEmpty(file: string): string | null {
  return (lookAt(file)?.size ?? 0) > 0 ? file : null;
}
