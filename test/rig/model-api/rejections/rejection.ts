// Declares one HTTP error in the words of the real services: a cell for each family of APIs, possibly with its own status.

export interface Rejection {
  status: number;
  headers?: Record<string, string>;
  gemini: { status: string; message: string; details?: Record<string, unknown>[]; http?: number };
  openai: { message: string; type: string; code: string | null; param?: string; http?: number };
  anthropic: { type: string; message: string; http?: number };
}
