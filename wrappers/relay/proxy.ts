// Finds the variable that sends a CLI's requests through a proxy. The proxy would then get the requests for the relay too.

/** null where none does. */
export const proxyIn = (environment: Record<string, string | undefined>): string | null =>
  PROXIES.find((name) => environment[name]) ?? null;

export const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

/** Of a file that the CLI itself reads, as a person may have it for the CLI alone. */
export function proxyInFile(known: Record<string, string | undefined>, environment: NodeJS.ProcessEnv): string | null {
  const proxy = proxyIn(environment) === null ? proxyIn(known) : null;
  return proxy === null ? null : `${proxy} is set in a .env file, and the relay does not ask through a proxy`;
}
