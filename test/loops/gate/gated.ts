// A stage before its gate: a tree, a task and an answer in a temporary folder.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { GateRequest } from '../../../loops/gate/gate-request.ts';
import { NO_PROJECT_FILE } from '../../../policies/manifest/project-file.ts';
import { type ResolvedRole, resolveRole } from '../../../policies/manifest/resolved-role.ts';
import { createRedactor } from '../../../policies/redact/create-redactor.ts';
import { MANIFEST } from '../../../state/project/manifest-schema.ts';
import { locateTask } from '../../../state/task-folder.ts';

export interface Gated {
  root: string;
  tree: string;
  /** A file of the tree. */
  write(name: string, text: string): void;
  /** A request with this answer; what is not said is as a `verify` stage has it. */
  ask(
    answer: string | null,
    given?: Partial<Omit<GateRequest, 'stage' | 'role'>> & { stage?: object; role?: Partial<ResolvedRole> },
  ): GateRequest;
  dispose(): void;
}

export function openGated(manifest: object = {}): Gated {
  const root = mkdtempSync(path.join(tmpdir(), 'gate-'));
  const tree = path.join(root, 'tree');
  const write = (name: string, text: string) => {
    const file = path.join(tree, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const folder = path.join(root, 'task/t1');
  mkdirSync(path.join(folder, 'outputs'), { recursive: true });
  mkdirSync(tree);
  const located = locateTask(`${folder}/`, root, {});
  if (located.how === 'invalid') throw new Error(located.message);
  const task = located.folder;
  return {
    root,
    tree,
    write,
    ask(answer, { stage: words, role, ...given } = {}) {
      const read = MANIFEST.parse({
        task_id: 't1',
        goal: 'Find out.',
        ...manifest,
        stages: [{ tool: 'codex', role: 'verify', ...words }],
      });
      const stage = { ...read.stages[0]!, name: 'codex_verify', fallback: [] };
      const resolved = resolveRole(stage, NO_PROJECT_FILE, 'trusted');
      if (resolved.how === 'invalid') throw new Error(resolved.message);
      const answerFile = path.join(task.outputs, 'codex_verify.codex.out');
      rmSync(answerFile, { force: true });
      if (answer !== null) writeFileSync(answerFile, answer);
      return {
        task,
        manifest: read,
        stage,
        tool: 'codex',
        role: { ...resolved.role, ...role },
        cwd: tree,
        answerFile,
        callId: 'call-1',
        changes: null,
        look: 'first',
        findings: [],
        acceptanceCommands: read.acceptance.commands,
        environment: { PATH: process.env.PATH, HOME: root },
        redactor: createRedactor({ env: { A_TOKEN: 'tok-verysecret' }, patterns: [] }),
        stop: new AbortController().signal,
        clock: () => new Date('2030-01-02T03:04:05Z'),
        ...given,
      };
    },
    dispose: () => rmSync(root, { recursive: true, force: true }),
  };
}
