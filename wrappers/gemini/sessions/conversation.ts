// A gemini session as one conversation, whichever of its two formats the file has.

import type { ContextTokens, Flaw, Turn } from '../../../policies/session/conversation.ts';
import type { Conversation, Edit, SessionFile } from '../../sessions/store.ts';
import type { GeminiEntry } from './fold.ts';
import type { GeminiMessage } from './record.ts';
import { repairedMessages } from './repair.ts';
import { findFlaws } from './replay.ts';
import { doublesResponses } from './replaying-versions.ts';
import { type Rewind, rewindAfterPrompt, rewindBefore, rewindLastStep } from './rewinds.ts';
import { promptsIn, readTurn, tokensOf } from './turns.ts';

/** What differs between the formats. */
export interface Source {
  session: SessionFile;
  /** Gives the messages that stand; may do so again where one turns out to be torn. */
  use<T>(read: (entries: readonly GeminiEntry[]) => T): T;
  /** Each message takes the place of the one with its id. */
  rewrite(messages: readonly GeminiMessage[]): Edit;
  /** This message and all that follow it go. */
  cutFrom(message: GeminiMessage): Edit;
  totalTokens(): number | null;
}

export function converse({ session, use, rewrite, cutFrom, totalTokens }: Source): Conversation {
  const rewound = (decide: (entries: readonly GeminiEntry[]) => Rewind): Edit =>
    use((entries) => {
      const rewind = decide(entries);
      // It is read whole first: to an id that the CLI does not know it would forget everything.
      return rewind.how === 'from' ? cutFrom(entries[rewind.at]!.read()) : rewind;
    });
  return {
    session,
    get turns() {
      return use((entries) => promptsIn(entries).length);
    },
    read: (from, to) => use((entries) => readTurns(entries, from, to)),
    contextTokens: () => use(lastTokens),
    totalTokens,
    countedSoFar: () => null,
    flaws: (cliVersion) => use((entries) => judgeFlaws(entries, cliVersion)),
    mend: (flaws) =>
      use((entries) => {
        const messages = repairedMessages(findFlaws(entries), flaws);
        return messages.length === 0 ? { how: 'none' } : rewrite(messages);
      }),
    before: (turn) => rewound((entries) => rewindBefore(entries, turn)),
    afterPrompt: (turn) => rewound((entries) => rewindAfterPrompt(entries, turn)),
    withoutLastStep: () => rewound(rewindLastStep),
  };
}

function readTurns(entries: readonly GeminiEntry[], from: number, to: number): Turn[] {
  const prompts = promptsIn(entries);
  return prompts.flatMap((start, i) =>
    i + 1 < from || i + 1 > to ? [] : [readTurn(entries, i + 1, start, prompts[i + 1] ?? entries.length)],
  );
}

function lastTokens(entries: readonly GeminiEntry[]): ContextTokens | null {
  for (const entry of [...entries].reverse()) {
    const tokens = entry.type === 'gemini' ? tokensOf(entry.read()) : null;
    if (tokens !== null) return tokens;
  }
  return null;
}

/** A call without a response is wrong for every version, a second response only for those that send it. */
function judgeFlaws(entries: readonly GeminiEntry[], cliVersion: string | null): Flaw[] | null {
  const flaws = findFlaws(entries).map(({ flaw }) => flaw);
  const doubles = doublesResponses(cliVersion);
  if (doubles === null && flaws.some(({ how }) => how === 'doubled_response')) return null;
  return doubles ? flaws : flaws.filter(({ how }) => how !== 'doubled_response');
}
