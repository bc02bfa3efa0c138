// Chooses what answers a distillation: the Gemini API, or the session of a CLI.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGeminiService } from '../../wrappers/gemini-api/client.ts';
import { type DocumentService, ServiceFailure } from '../../wrappers/gemini-api/document-service.ts';
import type { DistillRequest } from './request.ts';
import { serviceOverCli } from './via-cli.ts';

/** @returns a sentence if it cannot be called. */
export async function serviceOf(
  { checkpoint: { via }, folder }: Parameters<DistillRequest['means']['service']>[0],
  { environment, trustWorkspace, turnMs }: { environment: NodeJS.ProcessEnv; trustWorkspace: boolean; turnMs: number },
): Promise<DocumentService | string> {
  if (via)
    return serviceOverCli({
      tool: via,
      folder: path.join(folder.root, '../../distill-sessions', folder.name),
      // The wrappers are in the folder of this bundle.
      commandFolder: path.dirname(fileURLToPath(import.meta.url)),
      environment,
      trustWorkspace,
      clock: () => new Date(),
      turnMs,
    });
  const { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: baseUrl } = environment;
  if (!key?.trim())
    return 'GEMINI_API_KEY is not set, and the Gemini API takes nothing without it; get a key at https://aistudio.google.com/apikey, and export it';
  try {
    return createGeminiService({ key, baseUrl: baseUrl || null });
  } catch (error) {
    if (error instanceof ServiceFailure) return error.message;
    throw error;
  }
}
