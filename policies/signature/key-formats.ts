// Lists the services' keys that are recognised by their beginning. They are redacted, and count as secrets in signatures.

interface KeyFormat {
  /** The text in the placeholder of a redacted key. */
  kind: string;
  prefixes: readonly string[];
  /** Matches a whole key, which is redacted. */
  shape: RegExp;
  /**
   * The beginnings that a signature treats as such a key, even if it is cut or masked, in either case. They are grouped by the
   * characters that may follow, besides those of a word. null if it is recognised by its digits alone.
   */
  heads: Readonly<Partial<Record<'' | '*-' | '.-', string>>> | null;
  examples: readonly string[];
  /** Look-alikes that must remain. */
  harmless: readonly string[];
}

const A = 'aBcD1234eFgH5678iJkL9012mNoP3456qRsT';

// More specific first: if two share a prefix, the first whose shape matches decides.
export const KEY_FORMATS: readonly KeyFormat[] = [
  {
    kind: 'anthropic_key',
    prefixes: ['sk-ant-'],
    shape: /sk-ant-[\w-]{12,}/,
    // Like any key that begins with `sk-`.
    heads: null,
    examples: [`sk-ant-api03-${A}`],
    harmless: ['sk-ant-'],
  },
  {
    kind: 'api_key',
    prefixes: ['sk-', 'sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'],
    shape: /sk-(?=[\w-]{0,80}\d)[\w-]{16,}|[sr]k_(?:live|test)_\w{16,}/,
    heads: { '*-': String.raw`sk-[\w*-]{4}`, '': String.raw`[sr]k_(?:live|test)_\w{8}` },
    examples: [`sk-${A}`, `sk-proj-${A}`, `sk_live_${A}`, `rk_test_${A}`],
    harmless: ['sk-learn-contrib-and-something-else', 'task-0123456789abcdefghij', 'sk-fake'],
  },
  {
    kind: 'api_key',
    prefixes: ['gsk_', 'xai-', 'hf_', 'SG.', 'glpat-', 'npm_', 'dop_v1_', 'pypi-'],
    shape:
      /(?:gsk|hf|npm)_[A-Za-z0-9]{30,}|xai-\w{40,}|SG\.[\w-]{16,}\.[\w-]{16,}|glpat-[\w-]{20,}|dop_v1_\w{40,}|pypi-[\w-]{40,}/,
    heads: null,
    examples: [`gsk_${A}`, `npm_${A}`, `glpat-${A}`],
    harmless: ['npm_config_registry'],
  },
  {
    kind: 'github_token',
    prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    shape: /gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}/,
    heads: { '': String.raw`gh[pousr]_\w{8}|github_pat_\w{8}` },
    examples: [`ghp_${A}`, `github_pat_${A}_${A}`],
    harmless: ['ghp_short', 'github_pat_'],
  },
  {
    kind: 'google_key',
    prefixes: ['AIza', 'ya29.', '1//0'],
    shape: /AIza[\w-]{30,}|ya29\.[\w-]{20,}|1\/\/0[\w-]{30,}/,
    heads: { '*-': String.raw`AIza[\w*-]{10}`, '.-': String.raw`ya29\.[\w.-]{8}` },
    examples: [`AIza${A}`, `ya29.${A}`],
    harmless: ['AIzawa', 'ya29.x'],
  },
  {
    kind: 'slack_token',
    prefixes: ['xoxa-', 'xoxb-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'],
    shape: /(?:xox[a-eoprs]|xapp)-[\w-]{10,}/,
    heads: { '*-': String.raw`xox[a-z]-[\w*-]{8}` },
    examples: ['xoxb-123456789012-abcdefGHIJ', 'xoxc-123456789012-abcdefGHIJ', 'xoxd-abcdefGHIJ123'],
    harmless: ['xoxb-'],
  },
  {
    kind: 'aws_key',
    prefixes: ['AKIA', 'ASIA'],
    shape: /A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])/,
    heads: { '': String.raw`A[KS]IA\w{12}` },
    examples: ['AKIAIOSFODNN7EXAMPLE'],
    harmless: ['ASIAPACIFIC', 'AKIAIOSFODNN7EXAMPLEANDMORE'],
  },
];
