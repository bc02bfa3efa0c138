// Uploads a book, and prints how much memory that took: `upload-child URL FILE`.

import { createGeminiService } from '../../wrappers/gemini-api/client.ts';
import { peakKib } from './peak-memory.ts';

const [url = '', file = ''] = process.argv.slice(2);
const service = createGeminiService({ key: 'test-key', baseUrl: url });
const told = { signal: new AbortController().signal, sent: () => {} };
const { state } = await service.upload({ file, mimeType: 'application/pdf', displayName: 'large' }, told);
console.log(JSON.stringify({ state, peakMib: peakKib() / 1024 }));
