// What the user chose for a run by its flags: handed on as it is to whatever asks.

export interface RunOptions {
  /** While another run has the task. `force` takes it, and its open calls, from one that cannot be looked up from here. */
  whenTaken: 'wait' | 'refuse' | 'force';
  redo: readonly string[];
  keep: readonly string[];
  /** What becomes of the stages whose prompt has changed, and which neither of them names. */
  changed: 'refuse' | 'redo' | 'keep';
  /** What becomes of a task whose files were changed while another task's agent ran. */
  otherChanges: 'refused' | 'accepted';
  /** May an attempt that ran tools be begun anew? */
  dirtyRetries: 'never' | 'allowed';
  /** What becomes of changes that are out of scope. */
  outOfScope: 'reported' | 'restored';
  /** Are the commands that a brief found run by the gate? */
  briefCommands: 'proposed' | 'trusted';
  /** Does a verdict of FAIL, or one that is owed and missing, in a stage that is done make the run fail? */
  badVerdicts: 'reported' | 'fail';
  /** How long the reset of a quota may be waited for; 0 is not at all. */
  waitForResetMs: number;
  /** Is a history that the service refuses mended? */
  repair: 'allowed' | 'off';
  /** While somebody else has the session open in its CLI. */
  whenOpen: 'wait' | 'fresh';
  trustWorkspace: boolean;
  /** Whether what the CLI wrote stays in the attempt as it came. */
  keepRaw: boolean;
  /** Whether its requests go through a relay, so that the one that fails is logged as it was sent. */
  recordRequests: boolean;
}
