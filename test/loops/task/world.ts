// A small project with one task, in a folder of its own, and the prompt of its first stage.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { composePrompt } from '../../../loops/task/compose.ts';
import { NO_PROJECT_FILE, type ProjectFile } from '../../../policies/manifest/project-file.ts';
import { resolveRole } from '../../../policies/manifest/resolved-role.ts';
import { createRedactor } from '../../../policies/redact/create-redactor.ts';
import { MANIFEST, type Stage } from '../../../state/project/manifest-schema.ts';

export interface Wish {
  stage?: object;
  manifest?: object;
  project?: Partial<ProjectFile>;
  trust?: 'trusted' | 'untrusted';
  /** Relative to the project. */
  cwd?: string;
  request?: Partial<Parameters<typeof composePrompt>[0]>;
}

export class World {
  readonly root = realpathSync(mkdtempSync(path.join(tmpdir(), 'prompt-')));
  readonly task = path.join(this.root, '.tmp/task/fix');

  constructor() {
    mkdirSync(path.join(this.task, 'inputs'), { recursive: true });
  }

  write(name: string, text: string | Buffer): string {
    const file = path.join(this.root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  input(name: string, text: string | Buffer): string {
    return this.write(`.tmp/task/fix/inputs/${name}`, text);
  }

  link(name: string, target: string): void {
    mkdirSync(path.dirname(path.join(this.root, name)), { recursive: true });
    symlinkSync(target, path.join(this.root, name));
  }

  async compose(wish: Wish = {}): ReturnType<typeof composePrompt> {
    const given = MANIFEST.parse({
      task_id: 'fix',
      goal: 'Make the parser take empty lines.',
      stages: [{ tool: 'codex', role: 'brief', ...wish.stage }],
      context: { digest_policy: 'off' },
      ...wish.manifest,
    });
    const first = given.stages[0]!;
    const stage: Stage = { ...first, name: `${first.tool}_${first.role}`, fallback: [] };
    const manifest = { ...given, stages: [stage] };
    const project = { ...NO_PROJECT_FILE, ...wish.project };
    const resolved = resolveRole(stage, project, wish.trust ?? 'trusted');
    if (resolved.how === 'invalid') return resolved;
    const at = (name: string) => path.join(this.task, name);
    return composePrompt({
      task: {
        id: 'fix',
        root: this.task,
        manifest: at('manifest.json'),
        inputs: at('inputs'),
        outputs: at('outputs'),
        state: at('state'),
        done: at('done'),
        attempts: at('state/attempts'),
      },
      manifest,
      stage,
      tool: stage.tool,
      cwd: path.join(this.root, wish.cwd ?? '.'),
      root: this.root,
      role: resolved.role,
      project,
      digest: manifest.context.digest_policy,
      handedOff: null,
      earlier: [],
      redactor: createRedactor({ env: {}, patterns: manifest.security.redaction_patterns }),
      acceptanceCommands: manifest.acceptance.commands,
      environment: process.env,
      ...wish.request,
    });
  }

  /** The prompt, which must be one. */
  async prompt(wish: Wish = {}): Promise<Awaited<ReturnType<typeof composePrompt>> & { how: 'done' }> {
    const composed = await this.compose(wish);
    if (composed.how === 'invalid') throw new Error(composed.message);
    return composed;
  }

  /** The message, of which there must be one, with PROJECT in place of the folder. */
  async mistake(wish: Wish = {}): Promise<string> {
    const composed = await this.compose(wish);
    if (composed.how === 'done') throw new Error(`it was composed: ${composed.text}`);
    return composed.message.replaceAll(this.root, 'PROJECT');
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
