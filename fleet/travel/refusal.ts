// Defines the error for a task or a result that cannot travel: its message is one sentence for the user, and nothing was paid.

export class TravelRefusal extends Error {}

/** Hides the user name and the password of a URL; the user name of ssh is no secret. */
export const withoutSecrets = (url: string): string =>
  url.replace(/^((?!ssh:)[a-z][a-z0-9+.-]*:\/\/)[^/\s]*@/i, '$1').replace(/^(ssh:\/\/[^/@:\s]*):[^/\s]*@/i, '$1@');

/** The same for a text that may contain URLs, such as a complaint of git. */
export const hideUrls = (text: string): string => text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/\s'"]*@/gi, '$1[REDACTED]@');
