// The controls of the page, each by where it is, what it is and its name, and the file of tests over the console itself that uses it.

/** In the page: of something that is clicked, filled or chosen, the control that it is, as three words; null for anything else. */
export const CONTROL_OF = `(at) => {
  const control = at instanceof Element ? at.closest('button, input, select, textarea, summary, a[download]') : null;
  if (control === null) return null;
  const text = (of) => (of?.textContent ?? '').replace(/\\s+/g, ' ').trim();
  const label = control.labels?.[0];
  const name = control.getAttribute('aria-label') ?? (label ? text(label.querySelector('b') ?? label) : text(control));
  const kind = control.matches('a') ? 'download' : control.matches('input[type]') ? control.type : control.localName;
  const dialog = control.closest('dialog');
  const [view = 'now', id, part] = location.hash.split('?')[0].split('/').slice(1);
  const place = [view, ...(id ? ['*'] : []), ...(part ? [part] : [])].join('/');
  const where = dialog ? 'dialog ' + text(dialog.querySelector('h2')) : control.closest('main') ? place : 'frame';
  return [where, kind, name];
}`;

/** What differs from one to the next in names of the same control: the first row that fits. */
const ALIKE: readonly (readonly [where: RegExp, name: RegExp, is: string])[] = [
  [/^tasks$/, /^[a-z ]+ [\d,]+$/, 'STATE N'],
  [/^tasks$/, /^Select (?!all ).+/, 'Select TASK'],
  [/^new$/, /^(CLI|Role|Access) of stage \d+$/, '$1 of stage N'],
  [/^new$/, /^Remove stage \d+$/, 'Remove stage N'],
  [/^failures$/, /^Rerun of .+/, 'Rerun of TASK'],
  [/^(?:batch\/\*|now)$/, /^Rerun (?:these \d+ )?of .+/, 'Rerun of TASK'],
  [/^failures$/, /^Rerun these \d+ of .+/, 'Rerun these N of TASK'],
  [/^dialog Rerun/, /^Rerun these \d+$/, 'Rerun these N'],
  [/^tasks\/\*\/manifest$/, /^Line \d+$/, 'Line N'],
  [/^tasks\/\*\/raw$/, /^(?:prompt|answer|stderr|(?:call|gate) record) .*/, 'TEXT'],
  [/^(?:tasks\/\*\/changes|compare\/\*)$/, /^.+ \+[\d,]+ −[\d,]+.*$/, 'FILE +N −N'],
  [/^(?:tasks\/\*\/changes|compare\/\*)$/, /^[▾▸] .+$/, '▾ FILE'],
  [/^(?:tasks\/\*\/changes|compare\/\*)$/, /^Show [\d,]+ unchanged lines?$/, 'Show N unchanged lines'],
  [/^sessions$/, /^\d+ sessions? w\w+ not kept$/, 'N sessions were not kept'],
  [/^sessions\/\*$/, /^[▾▸] Turn \d+.*$/, '▾ Turn N'],
  [/^sessions\/\*$/, /^[\d,]+ lines? of rules.*$/, 'N lines of rules'],
  [/^sessions\/\*$/, /^\d+ .+$/, 'N PROMPT'],
  [
    /^(?:now|tasks\/\*|failures|distill\/\*|batch\/\*)$/,
    /^(?:Raise the limit|Resume|Raise budget|Restore|Repair session|Continue|Restore and check|Check again|Redo|Keep answer|Wait and run|Ignore the hold|Accept and run|Run|Rerun)$/,
    'ACTION',
  ],
  [/^tasks\/\*$/, /^.+, attempt \d+ by .+/, 'STAGE, attempt N'],
  [/^tasks\/\*\/raw$/, /^Copy (?:prompt|answer|stderr|(?:call|gate) record)$/, 'Copy TEXT'],
  [/^compare\/\*$/, /^Apply the changes of .+/, 'Apply the changes of VARIANT'],
  [/^dialog New comparison$/, /^Compare .+/, 'Compare CLI'],
  [/./, /^Stop (?!it$).+/, 'Stop TASK'],
  [/./, /^Answer to .+/, 'Answer to TASK'],
  [/^sessions\/\*$/, /^Restore the undone answer.*/, 'Restore the undone answer'],
  [/./, /^Release the hold on .+/, 'Release the hold on CLI'],
  [/./, /^Change the .+/, 'Change the BUDGET'],
  [/./, /^At the most.*/, 'At the most'],
  [/./, /^Delete section \d+$/, 'Delete section N'],
  [/./, /^all [\d,]+ tasks$/, 'all N tasks'],
  [/./, /^calls .+/, 'calls TOOL'],
  [/./, /^(?:Result of|Failed:) .+/, 'Result of TOOL'],
  [/./, /^Trace, .+/, 'Trace, N lines'],
  [/./, /^Show all [\d,]+ (\w+)$/, 'Show all N $1'],
];

const DIALOGS: readonly (readonly [title: RegExp, is: string])[] = [
  [
    /^dialog (?:Raise the limit|Resume|Raise budget|Restore|Repair session|Continue|Restore and check|Check again|Redo|Redo stage|Keep answer|Wait and run|Ignore the hold|Accept and run|Run|Rerun)\?$/,
    'dialog ACTION?',
  ],
  [/^dialog Create and run .+\?$/, 'dialog Create and run TASK?'],
  [/^dialog Stop .+\?$/, 'dialog Stop TASK?'],
  [/^dialog Rerun (?!\d+ tasks).+\?$/, 'dialog Rerun TASK?'],
  [/^dialog Rerun \d+ tasks\?$/, 'dialog Rerun N tasks?'],
  [/^dialog Run \d+ tasks? as a batch\?$/, 'dialog Run N tasks as a batch?'],
  [/^dialog Release the hold on .+\?$/, 'dialog Release a hold?'],
  [/^dialog Restore the undone answer.*\?$/, 'dialog Restore the undone answer?'],
  [/^dialog Delete section \d+\?$/, 'dialog Delete section N?'],
];

/** What the name of a button ends with while the CLI of its call has no sign-in. */
const ALL_THE_SAME = ' all the same';

/** Such as `budgets: button "Set a budget"`. Those that every view or every dialog can have stand there once. */
export function controlName([at, kind, name]: readonly [string, string, string]): string {
  // A supervised task has the same page at both addresses.
  const where = at.replace(/^supervise\/\*/, 'tasks/*');
  if (name.endsWith(ALL_THE_SAME)) return controlName([at, kind, name.slice(0, -ALL_THE_SAME.length)]);
  if (name === 'Ask again' || name === 'Try now') return `any view: ${kind} "${name}"`;
  if (/^tasks\/\*(?:\/\w+)?$/.test(where) && /^(?:Run|Rerun|Continue|Copy id|Stop .+)$/.test(name))
    return `any part of a task: ${kind} "${name.replace(/^Stop .+/, 'Stop TASK').replace(/^(?:Run|Continue)$/, 'Rerun')}"`;
  if (name === 'Cancel') return `any dialog: ${kind} "${name}"`;
  const place = DIALOGS.find(([title]) => title.test(where))?.[1] ?? where;
  const alike = ALIKE.find(([there, says]) => there.test(where) && says.test(name));
  return `${place}: ${kind} "${alike === undefined ? name : name.replace(alike[1], alike[2])}"`;
}

export type LiveFile =
  | 'live-compare'
  | 'live'
  | 'live-books'
  | 'live-fleet'
  | 'live-limits'
  | 'live-lists'
  | 'live-new-task'
  | 'live-runs'
  | 'live-sessions';

const RECOVER = 'dialog Recover this conversation';

export const CONTROLS: Readonly<Record<string, LiveFile>> = {
  'frame: button "Skip to the view"': 'live-lists',
  'frame: button "Menu"': 'live-lists',
  'frame: button "Keys ?"': 'live-lists',
  'frame: select "Theme"': 'live-lists',
  'frame: checkbox "Notifications"': 'live-lists',
  'frame: button "Go to Ctrl K"': 'live-lists',
  'dialog Go to: input "Find a view, a task, a failure or a session"': 'live-lists',
  'frame: button "Dismiss"': 'live-runs',
  'dialog Keys: button "Close"': 'live-lists',
  'any view: button "Ask again"': 'live',
  'any view: button "Try now"': 'live',
  'any dialog: button "Cancel"': 'live-limits',
  'now: textarea "Answer to TASK"': 'live-runs',
  'now: button "Answer"': 'live-runs',
  'now: button "Stop TASK"': 'live-runs',
  'now: button "ACTION"': 'live-runs',
  'now: button "Copy command"': 'live-runs',
  'now: button "Rerun of TASK"': 'live-runs',
  'dialog Stop TASK?: button "Stop it"': 'live-runs',
  'tasks: search "Filter tasks"': 'live-lists',
  'tasks: button "STATE N"': 'live-lists',
  'tasks: select "Class"': 'live-lists',
  'tasks: button "Show all tasks"': 'live-lists',
  'tasks: checkbox "Select all shown tasks"': 'live-lists',
  'tasks: checkbox "Select TASK"': 'live-lists',
  'tasks: button "Rerun selected"': 'live-lists',
  'tasks: button "Run as a batch"': 'live-compare',
  'dialog Run N tasks as a batch?: button "Run the batch"': 'live-compare',
  'tasks: button "Copy ids"': 'live-lists',
  'tasks: button "Clear the selection"': 'live-lists',
  'dialog Rerun TASK?: button "Rerun it"': 'live-lists',
  'dialog Rerun TASK?: button "Close"': 'live-lists',
  'dialog Rerun N tasks?: button "Rerun these N"': 'live-lists',
  'dialog Rerun N tasks?: button "Close"': 'live-lists',
  'tasks: button "Task"': 'live-lists',
  'tasks: button "State"': 'live-lists',
  'tasks: button "Calls"': 'live-lists',
  'tasks: button "Cost"': 'live-lists',
  'tasks: button "Last"': 'live-lists',
  'new: textarea "Goal"': 'live-new-task',
  'new: input "Id"': 'live-new-task',
  'new: select "Pipeline"': 'live-new-task',
  'new: button "Add a stage"': 'live-new-task',
  'new: select "CLI of stage N"': 'live-new-task',
  'new: select "Role of stage N"': 'live-new-task',
  'new: select "Access of stage N"': 'live-new-task',
  'new: button "Remove stage N"': 'live-new-task',
  'new: input "Paid calls"': 'live-new-task',
  'new: input "Cost in US dollars"': 'live-new-task',
  'new: input "Minutes"': 'live-new-task',
  'new: textarea "Commands"': 'live-new-task',
  'new: textarea "Criteria"': 'live-new-task',
  'new: textarea "May change"': 'live-new-task',
  'new: textarea "May not change"': 'live-new-task',
  'new: button "Check"': 'live-new-task',
  'new: button "Create"': 'live-new-task',
  'new: button "Create and run …"': 'live-new-task',
  'dialog Create and run TASK?: button "Create and run"': 'live-new-task',
  'any part of a task: button "Stop TASK"': 'live-runs',
  'any part of a task: button "Rerun"': 'live-runs',
  'any part of a task: button "Copy id"': 'live-runs',
  'tasks/*: button "Follow"': 'live-runs',
  'tasks/*: button "Copy live log"': 'live-runs',
  'tasks/*: search "Search the live log"': 'live-runs',
  'tasks/*: button "ACTION"': 'live-runs',
  'tasks/*: button "Redo stage"': 'live-runs',
  'tasks/*: button "STAGE, attempt N"': 'live-runs',
  'tasks/*: button "Copy command"': 'live-runs',
  'tasks/*: textarea "Answer to TASK"': 'live-runs',
  'tasks/*: button "Answer"': 'live-runs',
  'dialog ACTION?: button "Run it"': 'live-runs',
  'tasks/*/manifest: button "Save"': 'live-new-task',
  'tasks/*/manifest: button "As in the file"': 'live-new-task',
  'tasks/*/manifest: button "Format"': 'live-new-task',
  'tasks/*/manifest: button "Line N"': 'live-new-task',
  'tasks/*/manifest: button "Take the file’s text"': 'live-new-task',
  'tasks/*/manifest: button "Keep my text"': 'live-new-task',
  'tasks/*/raw: button "Copy TEXT"': 'live-lists',
  'tasks/*/raw: button "Show the end"': 'live-lists',
  'tasks/*/raw: summary "TEXT"': 'live-lists',
  'tasks/*/raw: button "Show all N characters"': 'live-lists',
  'tasks/*/changes: button "Fold all files"': 'live-lists',
  'tasks/*/changes: button "Copy the diff"': 'live-lists',
  'tasks/*/changes: button "Download as patch"': 'live-lists',
  'tasks/*/changes: button "FILE +N −N"': 'live-lists',
  'tasks/*/changes: button "▾ FILE"': 'live-lists',
  'tasks/*/changes: summary "Changes from before this stage, since the last commit"': 'live-lists',
  'tasks/*/changes: button "Show N unchanged lines"': 'live-lists',
  'failures: search "Filter failures"': 'live-lists',
  'failures: select "Class"': 'live-lists',
  'failures: select "CLI"': 'live-lists',
  'failures: select "Last seen"': 'live-lists',
  'failures: button "Show all failures"': 'live-lists',
  'failures: button "Copy command"': 'live-lists',
  'failures: button "ACTION"': 'live-lists',
  'failures: button "Rerun of TASK"': 'live-lists',
  'failures: button "Rerun these N of TASK"': 'live-lists',
  'failures: summary "Rule and signature"': 'live-lists',
  'failures: summary "Failures by day"': 'live-sessions',
  'failures: summary "Show as table"': 'live-sessions',
  'tasks/*/raw: summary "Rule and signature"': 'live-lists',
  'failures: button "all N tasks"': 'live-lists',
  'fleet: button "Copy command"': 'live-fleet',
  'budgets: button "Set a budget"': 'live-limits',
  'budgets: button "Set a pace"': 'live-limits',
  'budgets: button "Change the BUDGET"': 'live-limits',
  'budgets: button "Release the hold on CLI"': 'live-limits',
  'budgets: button "calls"': 'live-limits',
  'budgets: button "tokens"': 'live-limits',
  'budgets: button "cost"': 'live-limits',
  'budgets: button "day"': 'live-limits',
  'budgets: button "week"': 'live-limits',
  'budgets: button "month"': 'live-limits',
  'budgets: summary "Show as table"': 'live-limits',
  'dialog Set a budget: select "Of which CLI"': 'live-limits',
  'dialog Set a budget: select "In each"': 'live-limits',
  'dialog Set a budget: select "Counted in"': 'live-limits',
  'dialog Set a budget: input "At the most"': 'live-limits',
  'dialog Set a budget: button "Set it"': 'live-limits',
  'dialog Change this budget: input "At the most"': 'live-limits',
  'dialog Change this budget: button "Set it"': 'live-limits',
  'dialog Change this budget: button "Take it away"': 'live-limits',
  'dialog Release a hold?: button "Release"': 'live-limits',
  'sessions: search "Filter sessions"': 'live-sessions',
  'sessions: summary "N sessions were not kept"': 'live-sessions',
  'sessions/*: button "Undo the last answer"': 'live-sessions',
  'sessions/*: button "Restore the undone answer"': 'live-sessions',
  'sessions/*: button "Recover …"': 'live-sessions',
  'sessions/*: search "Search the conversation"': 'live-sessions',
  'sessions/*: button "Previous match"': 'live-sessions',
  'sessions/*: button "Next match"': 'live-sessions',
  'sessions/*: button "Fold all turns"': 'live-sessions',
  'sessions/*: button "▾ Turn N"': 'live-sessions',
  'sessions/*: button "N PROMPT"': 'live-sessions',
  'sessions/*: summary "N lines of rules"': 'live-sessions',
  'sessions/*: summary "Reasoning"': 'live-sessions',
  'sessions/*: summary "calls TOOL"': 'live-sessions',
  'sessions/*: summary "Result of TOOL"': 'live-sessions',
  'dialog Undo the last answer?: button "Undo"': 'live-sessions',
  'dialog Restore the undone answer?: button "Restore it"': 'live-sessions',
  [`${RECOVER}: radio "Deep rollback"`]: 'live-sessions',
  [`${RECOVER}: radio "Clear turn"`]: 'live-sessions',
  [`${RECOVER}: radio "Export diagnostic"`]: 'live-sessions',
  [`${RECOVER}: radio "Ignore"`]: 'live-sessions',
  [`${RECOVER}: button "Do it"`]: 'live-sessions',
  'supervise: textarea "Answer to TASK"': 'live-runs',
  'supervise: button "Answer"': 'live-runs',
  'batch/*: button "Copy id"': 'live-compare',
  'batch/*: summary "In a terminal"': 'live-compare',
  'batch/*: button "Stop TASK"': 'live-compare',
  'batch/*: button "Rerun of TASK"': 'live-compare',
  'batch/*: button "Copy command"': 'live-compare',
  'batch/*: button "ACTION"': 'live-compare',
  'compare: button "New comparison …"': 'live-compare',
  'dialog New comparison: textarea "Prompt"': 'live-compare',
  'dialog New comparison: checkbox "Compare CLI"': 'live-compare',
  'dialog New comparison: select "Access"': 'live-compare',
  'dialog New comparison: button "Begin"': 'live-compare',
  'compare/*: button "Fold all files"': 'live-compare',
  'compare/*: button "Copy the diff"': 'live-compare',
  'compare/*: button "Download as patch"': 'live-compare',
  'compare/*: button "▾ FILE"': 'live-compare',
  'compare/*: button "Resume …"': 'live-compare',
  'compare/*: button "Remove worktrees …"': 'live-compare',
  'compare/*: button "Apply the changes of VARIANT"': 'live-compare',
  'dialog Resume the comparison: button "Resume"': 'live-compare',
  'dialog Apply the changes: button "Apply"': 'live-compare',
  'dialog Remove the worktrees: button "Remove"': 'live-compare',
  'distill: button "Distill a book …"': 'live-books',
  'dialog Distill a book: input "The book"': 'live-books',
  'dialog Distill a book: textarea "Instruction (optional)"': 'live-books',
  'dialog Distill a book: select "Model"': 'live-books',
  'dialog Distill a book: input "Paid calls at the most"': 'live-books',
  'dialog Distill a book: button "Begin"': 'live-books',
  'distill/*: button "Pause"': 'live-books',
  'distill/*: button "Stop"': 'live-books',
  'distill/*: button "ACTION"': 'live-books',
  'distill/*: button "Copy command"': 'live-books',
  'distill/*: button "Delete section N"': 'live-books',
  'distill/*: download "Markdown"': 'live-books',
  'distill/*: download "Text"': 'live-books',
  'distill/*: download "PDF"': 'live-books',
  'distill/*: summary "Trace, N lines"': 'live-books',
  'dialog Delete section N?: button "Delete"': 'live-books',
  'machine: button "Check again"': 'live-runs',
  'machine: summary "Checks without a finding"': 'live-runs',
  'machine: button "Clean up …"': 'live-runs',
  'dialog Clean up after killed processes?: button "Clean up"': 'live-runs',
};
