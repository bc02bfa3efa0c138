// Describes the agent of a round that has no built-in row: a shell script that tollgate.yaml describes.

import { COMMANDS, isBuiltIn, type OwnTool, rowOf, type Tool } from '../../policies/facts/tools.ts';
import { STREAMS, type Stream } from '../../test/rig/streams.ts';

export const DESCRIBED = 'described' as OwnTool;

/** A strike finds the guardian by the word for the tool. The program has another name, so that the two differ. */
const BINARY = 'agent-of-ours';

export const binaryOf = (tool: Tool): string => (isBuiltIn(tool) ? tool : BINARY);

/** The words of the command that calls it. */
export const wordsOf = (tool: Tool): [command: string, ...words: string[]] =>
  isBuiltIn(tool) ? [COMMANDS[tool]] : ['tollgate', 'call', tool];

export const streamOf = (tool: Tool): Omit<Stream, 'runsTool' | 'retries'> => rowOf(STREAMS, tool, LINES);

const line = (type: string, more: object): string => JSON.stringify({ type, ...more });

const LINES: Omit<Stream, 'runsTool' | 'retries'> = {
  opens: (session) => [line('start', { session })],
  says: (text) => [line('text', { text })],
  succeeds: () => [line('end', { tokens: { in: 10, out: 5 } })],
  fails: (message, status) => [line('error', { message, status })],
};

export const DESCRIPTION = `tools:
  ${DESCRIBED}:
    binary: ${BINARY}
    argv: [[--session, '{session}']]
    output: lines
    events:
      - { when: { type: start }, session: session, requested: true }
      - { when: { type: text }, answer: text }
      - { when: { type: end }, completed: true, tokens: { input: tokens.in, output: tokens.out } }
      - { when: { type: error }, failure: message, status: status }
`;
