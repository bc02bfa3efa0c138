// Builds answers that pass the gate of their role, for fakes that play a whole pipeline.

import type { BuiltIn } from '../../policies/facts/tools.ts';
import { type BuiltInRole, ROLES } from '../../policies/manifest/roles.ts';
import type { FakeCall, FakeCommand } from './fake-call.ts';
import { answerWith } from './streams.ts';

/** Contains every section that the role requires, with enough lines under each. */
export function goodAnswer(role: BuiltInRole): string {
  const { requires, minLines } = ROLES[role];
  const lines = Array.from({ length: Math.ceil(minLines / Math.max(1, requires.length)) }, (_, n) => `- point ${n}`);
  return requires.map((name) => `## ${name}\n\n${BODIES[name] ?? lines.join('\n')}\n`).join('\n');
}

const BODIES: Record<string, string> = {
  Verdict: 'PASS\n\nIt is met.',
  'Updated Context Pack': 'The context as the brief left it.',
  'Verification Commands': '```sh\ntrue\n```',
};

/** Plays the role that the prompt requests; a role that changes the tree saves its own file. */
export function playRole(call: FakeCall, role: BuiltInRole): FakeCommand[] {
  const { changesTree } = ROLES[role];
  const change: FakeCommand[] = changesTree ? [{ do: 'save', file: `src/${role}.ts`, text: `// ${role}\n` }] : [];
  return [...change, ...answerWith(call.report.tool as BuiltIn, goodAnswer(role))];
}
