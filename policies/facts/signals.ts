// Explains in words the signals that end a program.

const SIGNALS: Record<string, string> = {
  SIGTERM: 'a request to end',
  SIGINT: 'Ctrl-C, or a request like it',
  SIGHUP: 'its terminal went away',
  SIGKILL: 'it was ended by force, mostly by a system that is out of memory',
  SIGPIPE: 'its output was no longer read',
  SIGSEGV: 'it crashed on a bad address',
  SIGABRT: 'it crashed: it gave itself up',
  SIGBUS: 'it crashed on a bad address',
  SIGILL: 'it crashed on an instruction that this machine does not know',
  SIGFPE: 'it crashed in its arithmetic',
  SIGXCPU: 'its limit of processor time was reached',
  SIGQUIT: 'a request to end with a dump',
};

/** `SIGKILL, it was ended by force, …`. */
export const signalWords = (signal: string): string =>
  SIGNALS[signal] === undefined ? signal : `${signal}, ${SIGNALS[signal]}`;
