// Finds where traces are sent: the address in OpenTelemetry's variables, or why none can be used.

type Environment = Readonly<Record<string, string | undefined>>;

type TraceEndpoint =
  /** `shown`: without credentials. */
  { how: 'found'; url: string; shown: string } | { how: 'none' } | { how: 'invalid'; message: string };

const ALL = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const TRACES = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
const TRACES_PATH = 'v1/traces';

/** @param given by a flag, as the base of all signals, or complete; it overrides the environment. */
export function traceEndpoint(given: string | null, environment: Environment): TraceEndpoint {
  const [name, base, traces] =
    given === null
      ? [environment[TRACES] ? TRACES : ALL, environment[ALL], environment[TRACES]]
      : ['--endpoint', given];
  const address = traces || base;
  if (!address) return given === null ? { how: 'none' } : { how: 'invalid', message: '--endpoint is empty' };
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return { how: 'invalid', message: `${name} is not an http or https address` };
  if (url.username !== '' || url.password !== '')
    return {
      how: 'invalid',
      message: `${name} holds a user or a password; say it in OTEL_EXPORTER_OTLP_HEADERS instead`,
    };
  const protocol = environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || environment.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol === 'grpc')
    return {
      how: 'invalid',
      message:
        'OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and traces go over HTTP alone; name the HTTP endpoint (port 4318, mostly) and http/json',
    };
  if (!traces && !url.pathname.endsWith(`/${TRACES_PATH}`))
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${TRACES_PATH}`;
  return { how: 'found', url: url.href, shown: url.origin };
}

/** A run sends automatically if the environment names an endpoint and does not disable it. */
export const sendsByItself = (environment: Environment): boolean =>
  Boolean(environment[ALL] || environment[TRACES]) &&
  environment.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' &&
  environment.OTEL_TRACES_EXPORTER !== 'none';
