// Decides which environment variables contain secrets, and in which forms their values occur in text.

export interface Secret {
  /** The text in the placeholder: the variable's name. */
  kind: string;
  value: string;
}

/** A shorter value could easily be a word of ordinary text. */
const MIN_LENGTH = 6;
/** From this length on, each line of a value with several lines, such as a private key, counts by itself. */
const MIN_LINE_LENGTH = 12;

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL/;
/** Used for a password as often as for a sign-in method. So a value without a digit is not a secret. */
const VAGUE_NAME = /(?:^|_)(?:AUTH|JWT|BEARER|COOKIE)$/;
const SHORT_NAME = /_(?:PASS|PWD|PAT)$|^(?:PASS|PAT)$/;
const HARMLESS_NAME = /KEYBOARD|KEYMAP|KEYWORD|HOTKEY|MONKEY|TOKENIZER|KEY_?TIMEOUT|PUBLIC_?KEY|KEYRING_BACKEND/;
/** A number or a folder under such a name is a setting: `MAX_OUTPUT_TOKENS`, `SSH_KEY_PATH`. */
const SETTING_NAME = /(?:^|_)(?:MAX|MIN|LIMIT|COUNT|SIZE|LENGTH|TTL|TIMEOUT|INTERVAL|EXPIR\w*|DAYS|TOKENS)(?:_|$)/;
const PLACE_NAME = /(?:PATH|FILE|DIR|DIRECTORY|FOLDER|HOME|SOCK|STORE_DIR|CREDENTIALS)$/;
const ORDINARY_VALUE = /^(?:true|false|enabled?|disabled?|default|required|optional|always|never|none)$/i;
const PLACE_VALUE = /^(?:~|[A-Za-z]:)?[\\/][\w .@+/\\-]*$/;

/** Longest first, so that a secret within another one does not leave the rest of that one in the text. */
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

/** Whether a variable contains a secret, by its name in capitals and its value. */
export function looksSecret(name: string, value: string): boolean {
  if (value === '' || !isSecretName(name, value) || HARMLESS_NAME.test(name)) return false;
  // A value that contains a placeholder's text is not used: it would redact text that is already redacted.
  if (ORDINARY_VALUE.test(value) || value.includes('REDACTED')) return false;
  if (SETTING_NAME.test(name) && /^[\d.]+$/.test(value)) return false;
  return !(PLACE_NAME.test(name) && PLACE_VALUE.test(value));
}

const isSecretName = (name: string, value: string): boolean =>
  SECRET_NAME.test(name) ||
  (SHORT_NAME.test(name) && !PLACE_VALUE.test(value)) ||
  (VAGUE_NAME.test(name) && /\d/.test(value));

/** The password of a proxy or a database, or a token instead of it. A word such as `postgres` is only found in the URL. */
function inUrl(value: string): string[] {
  const [, user = '', password = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^\s/?#:@]*)(?::([^\s/?#@]*))?@/i.exec(value) ?? [];
  if (password === '') return user.length >= MIN_TOKEN_LENGTH && /\d/.test(user) ? [user] : [];
  if (password === user || password.length < MIN_LENGTH) return [];
  return /\d/.test(password) || password.length >= MIN_LINE_LENGTH ? [password, decoded(password)] : [];
}

const MIN_TOKEN_LENGTH = 20;

/** The format of OpenTelemetry's exporters: `authorization=Bearer%20…,x-team=…`. */
const HEADERS_NAME = /^OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS$/;

/** The value of each header, whole and without the word before it. */
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
    return [
      form,
      escaped,
      JSON.stringify(escaped).slice(1, -1),
      inPercents,
      lower,
      ...allInPercents(form),
      ...inBase64(form),
    ];
  });
}

/** Encodes every byte, which nobody needs and every decoder accepts. */
function allInPercents(form: string): string[] {
  const bytes = Buffer.from(form).toString('hex').replace(/../g, '%$&');
  return [bytes, bytes.toUpperCase()];
}

/** A shorter piece of base64 could easily be part of something else. */
const MIN_BASE64_LENGTH = 12;

/** Encodes the value alone, and within other text, where it may begin at any of three positions in a group. */
function inBase64(value: string): string[] {
  const forms = ['', '_', '__'].flatMap((before) => {
    const bytes = Buffer.from(before + value);
    const first = Math.ceil((before.length * 8) / 6);
    // The last character is only known if the group is full, or if nothing follows.
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
