// Inserts the paths of a call's files into the arguments and variables of a CLI that a project describes.

import type { Adapter } from '../../wrappers/adapter.ts';
import { withFiles } from '../../wrappers/own/adapter.ts';
import type { Attempt } from './attempt.ts';

type Files = Pick<Attempt['files'], 'stdin' | 'usage'>;

export const withFilesOf = ({ described }: Adapter, words: string[], files: Files): string[] =>
  described === undefined ? words : withFiles(words, { prompt: files.stdin, answer: files.usage });

export const withFilesIn = (
  adapter: Adapter,
  environment: Record<string, string>,
  files: Files,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, withFilesOf(adapter, [value], files)[0]!]),
  );
