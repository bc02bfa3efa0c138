// The row of a CLI that a project describes, made from its description.

import type { EngineEvent } from '../../policies/facts/engine-event.ts';
import { readFailure } from '../../policies/facts/engine-failure.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import type { OwnToolRow } from '../../policies/rules/described-cli.ts';
import {
  announcedIn,
  createLogReader,
  createReader,
  cutObject,
  readRows,
} from '../../policies/rules/described-events.ts';
import { fillWords, type PlaceValues, placesIn } from '../../policies/rules/described-words.ts';
import { beginsAsObject, type Json, parseObject } from '../../policies/text/json.ts';
import type { Adapter, CallRequest } from '../adapter.ts';
import { SessionFileError, type SessionStore } from '../sessions/store.ts';
import { conclude, withAltered } from './conclude.ts';

/** Nothing of it is looked up: the same description gives the same row. */
export function ownAdapter(row: OwnToolRow): Adapter {
  const words = row.argv.flat();
  const places = new Set(words.flatMap(placesIn));
  return {
    tool: row.name,
    command: `tollgate call ${row.name}`,
    binary: row.binary,
    ...(row.prefix === undefined ? {} : { prefix: row.prefix }),
    packageName: row.packageName ?? '',
    features: [],
    defaultTimeoutMs: row.timeoutMs,
    own: {},
    argv: (request) => {
      const access = row.access?.[request.access] ?? [];
      const retries = request.innerRetries === 'cut' ? row.retries.argv : [];
      const filled = fillWords(row.argv, { ...valuesOf(request), access, retries });
      return [...filled, ...(places.has('retries') ? [] : retries), ...(places.has('access') ? [] : access)];
    },
    environment: (request) => ({
      ...filledValues(row.environment, valuesOf(request)),
      ...(request.innerRetries === 'cut' ? row.retries.environment : {}),
    }),
    overlay: () => ({ argv: [], environment: {}, folders: [], warnings: [] }),
    // The user called it in this folder, and its description applies in no other folder.
    distrusts: () => null,
    refusesFolder: () => null,
    signIn: null,
    entries: [],
    prompt: {
      via: row.prompt,
      escape: (text) => text,
      limit: row.maxPromptBytes === null ? null : { unit: 'bytes', max: row.maxPromptBytes },
    },
    readEvent: (line) => readLine(row, (json) => readRows(row.events, json), line),
    readDocument: () => null,
    readStderr: (line) => {
      const cause = announcedIn(row.retries.announced, line);
      return cause === null ? [] : [{ how: 'retrying', failure: readFailure(cause) }];
    },
    log:
      row.log === undefined
        ? null
        : { request: logNamedBy(row.log.variable), reader: () => createLogReader(row.log!.events) },
    missingServer: () => null,
    ignores: () => [],
    allows: () => null,
    usageFile: null,
    answerSchema: null,
    // Its events show when it uses tools, and thus when it calls the model again.
    liveUsage: row.output === 'lines' ? 'stream' : null,
    endsAtUsd: false,
    usageCounts: 'call',
    sessionId: places.has('new_session') ? 'chosen' : 'announced',
    sessions: async () => noSessions(row.name),
    route: async () => () => ({
      how: 'fixed',
      because: `${row.name} is described in tollgate.yaml, which names no service`,
    }),
    refusedInput: () => false,
    failureReport: null,
    // How it handles signals is unknown, so it is paused until it is ended. Nothing is lost by that.
    asksAgain: 'at once',
    lingerMs: 5000,
    described: {
      row,
      conclude: (ended) => conclude(row, ended),
      reader: () => {
        const read = createReader(row.events);
        return (line) => readLine(row, read, line);
      },
      settings: ({ innerRetries, environment }) => {
        if (row.settings === undefined || environment[row.settings.variable] !== undefined) return null;
        const { variable, content } = row.settings;
        const all = { ...content, ...(innerRetries === 'cut' ? row.retries.settings : {}) };
        return { variable, text: JSON.stringify(all) };
      },
      takes: (request) => takes(row, places, request),
    },
  };
}

function readLine(row: OwnToolRow, read: (json: Json) => EngineEvent[], line: string): EngineEvent[] {
  if (row.output !== 'lines') return [];
  const text = line.trim();
  const json = parseObject(text);
  if (json !== null) return withAltered(read(json));
  return beginsAsObject(text)
    ? [{ how: 'stopped', failure: cutObject(`a line is not a whole object: ${text.slice(0, 80)}`) }]
    : [];
}

/** The paths of its files are not known yet: `withFiles` puts them in. */
const FILE_PLACES = { prompt_file: '{prompt_file}', answer_file: '{answer_file}' };

function valuesOf({ model, resumeSession, newSession, maxTurns, cwd }: CallRequest): PlaceValues {
  return {
    cwd,
    ...FILE_PLACES,
    ...(model === null ? {} : { model }),
    ...(maxTurns === null ? {} : { max_turns: String(maxTurns) }),
    ...(resumeSession === null ? (newSession === '' ? {} : { new_session: newSession }) : { session: resumeSession }),
  };
}

/** A variable with a place that has no value is not set. */
const filledValues = (environment: Readonly<Record<string, string>>, values: PlaceValues): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      fillWords([[value]], values).map((filled) => [name, filled]),
    ),
  );

/** Puts the paths of a call's files into its words. */
export const withFiles = (words: readonly string[], files: { prompt: string; answer: string }): string[] =>
  words.map((word) =>
    word
      .replaceAll(FILE_PLACES.prompt_file, () => files.prompt)
      .replaceAll(FILE_PLACES.answer_file, () => files.answer),
  );

/** Why this call cannot be made of it, as a sentence; or null. */
function takes(row: OwnToolRow, places: ReadonlySet<string>, request: CallRequest): string | null {
  const where = `tools.${row.name} of tollgate.yaml`;
  if (request.resumeSession !== null && !places.has('session'))
    return `--resume-session: ${row.name} continues in no session, since the argv of ${where} has no place {session}`;
  if (request.model !== null && !places.has('model'))
    return `--model: ${row.name} takes no model, since the argv of ${where} has no place {model}`;
  if (row.access !== null && row.access[request.access] === undefined)
    return `--access ${request.access}: ${where} describes ${Object.keys(row.access).join(', ') || 'none'} alone; describe it, or ask for one of them`;
  const { servers = [], denied = 'note' } = request.requires ?? {};
  if (servers.length > 0 && row.events.every(({ server_failed }) => server_failed === undefined))
    return `--require-mcp: ${row.name} does not say which MCP servers failed: ${where} has no event with server_failed`;
  if (denied === 'fail' && row.events.every(({ denied }) => denied === undefined))
    return `--fail-on-denied: ${row.name} does not say which tools were denied: ${where} has no event with denied`;
  return null;
}

/** The session files of a CLI that a project describes: none are known, so each session is taken at its word. */
const noSessions = (tool: Tool): SessionStore => ({
  tool,
  boundToCwd: false,
  isLocal: false,
  takesLock: false,
  find: async () => null,
  recent: async () => [],
  links: () => [],
  ask: null,
  firstPrompt: () => null,
  open: ({ file }) => {
    throw new SessionFileError(file, `the sessions of ${tool} are its own: nothing is known of their files`);
  },
  renamed: null,
  usedBy: async () => null,
});

/** Unless the user sets the variable. */
const logNamedBy =
  (variable: string): NonNullable<Adapter['log']>['request'] =>
  (file, { environment }) =>
    environment[variable] === undefined ? { environment: { [variable]: file } } : null;
