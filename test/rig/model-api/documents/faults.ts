// Lists the faults of a document service by name; the words are the real service's.

export type Fault =
  | { how: 'status'; status: number; body: object | string; headers?: Record<string, string> }
  /** The connection is reset before any reply. */
  | { how: 'reset' }
  /** No reply is ever sent. */
  | { how: 'silence' }
  /** The answer begins and its connection breaks: it is paid for all the same. */
  | { how: 'cut' }
  /** The answer is sent whole, and then its connection breaks, or stays open. */
  | { how: 'broken_after' | 'open_after' }
  /** The answer ends unfinished, on a connection that closes properly. */
  | { how: 'unfinished' }
  | { how: 'answers'; finishReason?: string; text?: string; blocked?: string; modelVersion?: string; before?: string };

const error = (code: number, status: string, message: string, details: object[] = []) => ({
  how: 'status' as const,
  status: code,
  body: { error: { code, message, status, ...(details.length > 0 ? { details } : {}) } },
});

const retryIn = (retryDelay: string) => ({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay });

const QUOTA = 'You exceeded your current quota, please check your plan and billing details.';

export const FAULTS = {
  '429-retry-info': error(429, 'RESOURCE_EXHAUSTED', QUOTA, [retryIn('0.05s')]),
  '429-retry-after': { ...error(429, 'RESOURCE_EXHAUSTED', QUOTA), headers: { 'retry-after': '0' } },
  '429-long': error(429, 'RESOURCE_EXHAUSTED', QUOTA, [retryIn('3600s')]),
  '500': error(
    500,
    'INTERNAL',
    'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
  ),
  '503': error(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
  '502-html': { how: 'status', status: 502, body: '<html><title>502 Bad Gateway</title></html>' },
  'bad-key': error(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
  ]),
  'no-model': error(
    404,
    'NOT_FOUND',
    'models/x is not found for API version v1beta, or is not supported for generateContent.',
  ),
  'too-long': error(
    400,
    'INVALID_ARGUMENT',
    'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
  ),
  'file-400': error(400, 'FAILED_PRECONDITION', 'Unsupported file uri: the file is not available.'),
  'file-403': error(403, 'PERMISSION_DENIED', 'You do not have permission to access the File abc or it may not exist.'),
  'file-404': error(404, 'NOT_FOUND', 'The requested file was not found: files/abc.'),
  redirect: { how: 'status', status: 302, body: '', headers: { location: 'http://elsewhere.invalid/' } },
  empty: { how: 'status', status: 200, body: '' },
  html: { how: 'status', status: 200, body: '<html>Please sign in to the network</html>' },
  reset: { how: 'reset' },
  silence: { how: 'silence' },
  cut: { how: 'cut' },
  'broken-after': { how: 'broken_after' },
  'open-after': { how: 'open_after' },
  unfinished: { how: 'unfinished' },
  'max-tokens': { how: 'answers', finishReason: 'MAX_TOKENS' },
  'no-text': { how: 'answers', text: '' },
  safety: { how: 'answers', finishReason: 'SAFETY', text: '' },
  recitation: { how: 'answers', finishReason: 'RECITATION', text: '' },
  blocked: { how: 'answers', blocked: 'PROHIBITED_CONTENT' },
  refusal: {
    how: 'answers',
    text: `I'm sorry, but I can't help with that request. ${'It is not something that I can do. '.repeat(8)}`,
  },
  short: { how: 'answers', text: 'Done.' },
  /** The previous section, once more. */
  loop: { how: 'answers', text: 'again' },
  'control-tokens': { how: 'answers', before: '<ctrl94>thought\n<start_of_turn>model\n' },
  'other-version': { how: 'answers', modelVersion: 'gemini-3.5-flash' },
  'end-in-the-middle': { how: 'answers', before: 'The marker <end_of_book> is what the book ends with.\n\n' },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;
