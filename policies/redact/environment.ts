// Which environment variables hold secrets, and the forms in which their values turn up in text.

export interface Secret {
  /** What stands in the placeholder: the variable's name. */
  kind: string;
  value: string;
}

/** A shorter value is too likely to be a word of ordinary text. */
const MIN_LENGTH = 6;
/** A line of a value with several lines, such as a private key, counts alone from this length on. */
const MIN_LINE_LENGTH = 12;

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL/;
/** Said of a password as often as of a way to sign in, so a value without a figure is none. */
const VAGUE_NAME = /(?:^|_)(?:AUTH|JWT|BEARER|COOKIE)$/;
const SHORT_NAME = /_(?:PASS|PWD|PAT)$|^(?:PASS|PAT)$/;
const HARMLESS_NAME = /KEYBOARD|KEYMAP|KEYWORD|HOTKEY|MONKEY|TOKENIZER|KEY_?TIMEOUT|PUBLIC_?KEY|KEYRING_BACKEND/;
/** A figure or a folder under such a name is a setting: `MAX_OUTPUT_TOKENS`, `SSH_KEY_PATH`. */
const SETTING_NAME = /(?:^|_)(?:MAX|MIN|LIMIT|COUNT|SIZE|LENGTH|TTL|TIMEOUT|INTERVAL|EXPIR\w*|DAYS|TOKENS)(?:_|$)/;
const PLACE_NAME = /(?:PATH|FILE|DIR|DIRECTORY|FOLDER|HOME|SOCK|STORE_DIR|CREDENTIALS)$/;
const ORDINARY_VALUE = /^(?:true|false|enabled?|disabled?|default|required|optional|always|never|none)$/i;
const PLACE_VALUE = /^(?:~|[A-Za-z]:)?[\\/][\w .@+/\\-]*$/;

/** Longest first, so that a secret within another one does not leave the rest of it behind. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): Secret[] {
  const found = new Map<string, string>();
  for (const name of Object.keys(env).sort()) {
    const value = env[name]?.trim() ?? '';
    const within = HEADERS_NAME.test(name) ? inHeaders(value) : inUrl(value);
    const secrets = isSecret(name.toUpperCase(), value) ? [value] : within;
    for (const form of secrets.flatMap(formsOf)) if (!found.has(form)) found.set(form, name.replace(/[^\w.-]/g, '_'));
  }
  return [...found].map(([value, kind]) => ({ kind, value })).sort((a, b) => b.value.length - a.value.length);
}

const isSecret = (name: string, value: string): boolean => value.length >= MIN_LENGTH && looksSecret(name, value);

/** Does a variable hold a secret, by its name in capitals and what stands in it? */
export function looksSecret(name: string, value: string): boolean {
  if (value === '' || !isSecretName(name, value) || HARMLESS_NAME.test(name)) return false;
  // Text that names a placeholder must not be found in one: that would redact what is redacted.
  if (ORDINARY_VALUE.test(value) || value.includes('REDACTED')) return false;
  if (SETTING_NAME.test(name) && /^[\d.]+$/.test(value)) return false;
  return !(PLACE_NAME.test(name) && PLACE_VALUE.test(value));
}

const isSecretName = (name: string, value: string): boolean =>
  SECRET_NAME.test(name) ||
  (SHORT_NAME.test(name) && !PLACE_VALUE.test(value)) ||
  (VAGUE_NAME.test(name) && /\d/.test(value));

/** The password of a proxy or a database, or a token in its place; a word such as `postgres` is found in the URL alone. */
function inUrl(value: string): string[] {
  const [, user = '', password = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^\s/?#:@]*)(?::([^\s/?#@]*))?@/i.exec(value) ?? [];
  if (password === '') return user.length >= MIN_TOKEN_LENGTH && /\d/.test(user) ? [user] : [];
  if (password === user || password.length < MIN_LENGTH) return [];
  return /\d/.test(password) || password.length >= MIN_LINE_LENGTH ? [password, decoded(password)] : [];
}

const MIN_TOKEN_LENGTH = 20;

/** As OpenTelemetry's exporters are told theirs: `authorization=Bearer%20…,x-team=…`. */
const HEADERS_NAME = /^OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS$/;

/** What stands in each, whole and without the word before it. */
function inHeaders(value: string): string[] {
  const values = value.split(',').map((pair) => pair.slice(pair.indexOf('=') + 1).trim());
  const words = values.flatMap((one) => [one, decoded(one), decoded(one).split(' ').at(-1)!]);
  return words.filter((one) => one.length >= MIN_LENGTH);
}

function formsOf(value: string): string[] {
  const whole = [value, ...value.split(/\r?\n/).filter((line) => line !== value && line.length >= MIN_LINE_LENGTH)];
  return whole.flatMap((form) => {
    const escaped = JSON.stringify(form).slice(1, -1);
    const inPercents = encoded(form);
    const lower = inPercents.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
    return [form, escaped, JSON.stringify(escaped).slice(1, -1), inPercents, lower, ...inBase64(form)];
  });
}

/** A shorter piece of base64 is too likely to be one of something else. */
const MIN_BASE64_LENGTH = 12;

/** By itself, and in the midst of something: there it may begin at each of three places in a group. */
function inBase64(value: string): string[] {
  const forms = ['', '_', '__'].flatMap((before) => {
    const bytes = Buffer.from(before + value);
    const first = Math.ceil((before.length * 8) / 6);
    // The last character is known only where the group is full, or where nothing follows.
    const sure = bytes.toString('base64').slice(first, Math.floor((bytes.length * 8) / 6));
    const whole = bytes.toString('base64').replace(/=+$/, '').slice(first);
    return [whole, sure].flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
  });
  return forms.filter((form) => form.length >= MIN_BASE64_LENGTH);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** A lone surrogate cannot be encoded. */
function encoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value;
  }
}
