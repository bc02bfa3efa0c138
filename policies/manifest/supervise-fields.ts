// Describes the fields of a supervised task.

import { namedTools, TOOLS } from '../facts/tools.ts';
import type { ManifestField } from './manifest-field.ts';

/**
 * The fields of the worker and of the reasoner.
 * @param access the default access.
 */
const partFields = (part: string, access: string): Record<string, ManifestField> =>
  Object.fromEntries(
    Object.entries({
      tool: [`Which CLI: ${namedTools('or')}`, null],
      model: ['The model to ask', "the CLI's own choice"],
      effort: ['How hard the model thinks: low, medium, high or xhigh', "the CLI's own choice"],
      access: ['What the CLI may do: read, write (the working tree), or full (everything)', access],
      allow_tool: ["Tools that the agent may use beside what `access` allows, in the CLI's own syntax", 'none'],
      allow_commit: ['Whether the agent may commit, where its access is write', 'false'],
      requires_mcp: ['MCP servers that must serve, by name, or all', 'none; a server that failed is a warning'],
      on_denied: ['What becomes of a call in which a tool was denied: note or fail', 'note'],
      prompt: [
        "A template of the task's own for this part, from the task's folder",
        "the project's, else the built-in one",
      ],
      attach: ['Files to put into each of its prompts, by glob', 'all of inputs/attachments/'],
      timeout_ms: ['How long one call may take, in milliseconds', '1800000, half an hour'],
      idle_timeout_ms: ['How long the CLI may say nothing, in milliseconds', 'no limit'],
      start_timeout_ms: [
        'How long the CLI may take until its first byte, in milliseconds; 0 is no limit',
        '120000, two minutes',
      ],
      max_turns: ['How many turns of the model one call may take', 'no limit'],
    } as const).map(([field, [about, without]]) => [`supervise.${part}.${field}`, { about, example: null, without }]),
  );

export const SUPERVISE_FIELDS: Record<string, ManifestField> = {
  supervise: {
    about: 'In place of stages, for tollgate supervise: a worker that gets each step from a reasoner',
    example: `{worker: {tool: ${TOOLS.at(-1)}}, reasoner: {tool: ${TOOLS[0]}}}`,
    without: 'the task is run by its stages',
  },
  'supervise.worker': { about: 'Who carries out the instructions', example: null, without: null },
  ...partFields('worker', 'write'),
  'supervise.reasoner': { about: 'Who says them', example: null, without: null },
  ...partFields('reasoner', 'read'),
  'supervise.max_iterations': {
    about: 'How many iterations the task may take in all; each is a call of the worker and one of the reasoner',
    example: null,
    without: '20',
  },
  'supervise.stall_after': {
    about: 'How often in a row the reasoner may keep an instruction that changes nothing in the tree',
    example: null,
    without: '3',
  },
};
