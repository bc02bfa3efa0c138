// Finds the texts of an event that is one of a series, such as the pieces of a message. A secret may span several of them.

import { type Json, parseObject, partOf } from '../text/json.ts';

export interface EventPiece {
  /** Texts with the same value follow each other. It names the kind of event, the place in the event, and the message. */
  of: string;
  /** Names from the event to the text. */
  path: readonly string[];
  text: string;
}

/** Whether such an event can be among these lines. */
export const mayHavePieces = (lines: string): boolean => HINTS.some((hint) => lines.includes(hint));

/** `delta`, `message_delta`, `execution_partial_result`, `agentMessageChunk`: in any case, and fast to search for. */
const HINTS = ['elta', 'artial', 'hunk'];
const PART = /delta|partial|chunk/i;

/** Where the CLIs put the text: in the event itself, or one level below. */
const BELOW = ['data', 'delta', 'item', 'message', 'params'];

/** Empty for an event that is not part of a series, and for a line that is not an event. */
export function piecesOf(line: string): EventPiece[] {
  const event = mayHavePieces(line) ? parseObject(line) : null;
  if (event === null) return [];
  const kind = String(event.type ?? event.method ?? '');
  if (!PART.test(kind) && event.delta !== true && typeof event.delta !== 'string') return [];
  const pieces: EventPiece[] = [];
  addTexts(pieces, kind, event, null);
  for (const name of BELOW) {
    const below = partOf(event[name]);
    if (below !== null) addTexts(pieces, kind, below, name);
  }
  return pieces;
}

function addTexts(pieces: EventPiece[], kind: string, holder: Json, within: string | null): void {
  let of = kind;
  const first = pieces.length;
  for (const name in holder) {
    const text = holder[name];
    if (typeof text !== 'string' || text === '') continue;
    const role = roleOf(name);
    // The event's own number and its parent's are new each time.
    if (role === 'owner' || (role === 'number' && within !== null)) of += ` ${text}`;
    else if (role === 'text') pieces.push({ of: name, path: within === null ? [name] : [within, name], text });
  }
  for (let i = first; i < pieces.length; i += 1) pieces[i]!.of = `${of} ${within ?? ''}.${pieces[i]!.of}`;
}

/** What a name says about the text under it. */
type Role = 'owner' | 'number' | 'label' | 'text';

const LABEL = /^(?:parentId|parent_id|type|role|status|model|timestamp|kind|method|name|phase|tool(?!Call|_call)\w*)$/;

function roleOf(name: string): Role {
  const known = ROLES.get(name);
  if (known !== undefined) return known;
  const role = name === 'id' ? 'number' : LABEL.test(name) ? 'label' : /(?:Id|_id)$/.test(name) ? 'owner' : 'text';
  if (ROLES.size < MOST_ROLES) ROLES.set(name, role);
  return role;
}

/** The CLIs use a dozen names, but an agent could invent any number. */
const ROLES = new Map<string, Role>();
const MOST_ROLES = 1000;
