// Lists the pieces of hostile texts, which are repeated: they provoke repeated scans, or contain what the rules look for.

const KNOWN: readonly string[] = [
  `a.¦(¦:¦1-¦1¦@¦\\¦\\"¦\\n¦{"a":¦/¦a/¦1/1/¦a:¦1:¦=¦a=¦a@¦"¦'/¦<¦[¦-¦~¦1 ¦1s ¦1.1.1.1:1/¦fe80::¦://`,
  `http:¦Nov 1 ¦(400) ¦code 1 ¦at 1:¦sk-¦eyJa.¦key=¦"key":"¦-----BEGIN ¦[REDACTED:¦Bearer ¦\x1b[¦\x1b]`,
  `\n¦\r\n¦\r¦a\n¦Error\n¦  at a (b:1:1)\n¦1% ¦Retrying ¦\0¦\u2500¦\ud800¦é¦A¦{¦}¦{"error":¦{"error":{"message":"`,
  `[{¦}]¦\\\\\\"¦status ¦status: 4¦HTTP 429 ¦error code: ¦try again ¦try again in ¦retry after ¦resets at `,
  `resets in 1h ¦Retry-After: ¦Sep 18th, ¦in 1 day 2 hours ¦quota ¦limit reached ¦not ¦not found ¦exceeded your `,
  `Error: ¦ERROR: ¦Error: a\n    ¦[API Error: ¦Attempt 1 failed ¦Reconnecting... ¦ERROR: Reconnecting... 1/5\n`,
  `OpenAI Codex v1\nuser\n¦warning: ¦MCP server ¦● ¦⠋ ¦│ ¦\t¦    ¦\u200b¦\u202e¦💥¦ERR_¦E¦SIGKILL ¦usage `,
  `<html><title>¦</`,
].flatMap((line) => line.split('¦').map((piece) => (piece === '@' ? '9'.repeat(400) : piece)));

/** The distance of two pieces that form a combined one: a prime, so that no two of a kind meet. */
const STRIDE = 37;

/** Each piece alone, each as separate lines, and each with another one. */
export const PIECES: readonly string[] = [
  ...new Set([
    ...KNOWN,
    ...KNOWN.map((piece) => `${piece}\n`),
    ...KNOWN.map((piece, i) => `${piece}${KNOWN[(i + STRIDE) % KNOWN.length]}`),
  ]),
];
