// Lists how a model's refusal begins, and which reports begin like one: rows as data, each proven by its examples.

export interface RefusalRule {
  /** Kebab case, unique; recorded with the finding. */
  id: string;
  /** `report`: a text that begins so is an answer, and no later row is tried. */
  means: 'refusal' | 'report';
  /** Matches the beginning of the answer, with plain quotes and single blanks. */
  opens: RegExp;
  /** The row is the first to match each of them. */
  examples: readonly [string, ...string[]];
}

const SORRY =
  /(?:(?:I'?m |I am |we are |we're )?(?:so |very |truly |really )?sorry|(?:I'?m|I am|we're|we are) afraid(?: that)?|my apologies|apologies|(?:I|we) apologi[sz]e|unfortunately|regrettably)/i
    .source;
const CANNOT =
  /(?:cannot|can ?not|can'?t|could not|couldn't|won'?t|will not|(?:'m|am|'re|are|was) (?:unable|not able|not allowed|not permitted) to|(?:'m|am) incapable of|(?:won'?t|will not) be able to|do not have the ability to|don't have the ability to)/i
    .source;
const ADVERB = /(?: (?:currently|really|simply|just|directly|actually|ethically|legally|in good conscience))?/i.source;
const SUBJECT = /(?:I|we)/i.source;

const opening = (...parts: string[]): RegExp => new RegExp(`^${parts.join('')}`, 'i');

/** Every text that a row matches contains some of this. It is tried first, because compiling the rows takes 20 ms. */
export const IN_ALL_ROWS = /not|n't|cant|wont|unable|incapable|must|have to|declin|refus|violat|against|conflict/i;

/** The more specific first: the first that matches decides. */
export const REFUSALS = [
  {
    id: 'report-no-finding',
    means: 'report',
    opens: opening(
      `(?:${SORRY}[,.:;!]? )?(?:but )?${SUBJECT} ?(?:(?:could not|couldn't|was unable to|was not able to) |${CANNOT}${ADVERB} `,
      '(?:reproduce|find|see|spot|detect|identify|locate|confirm|verify|fault|recommend|approve|rule out|tell|say|think of|name|help but|run|execute|test|check|measure|build|compile)\\b)',
    ),
    examples: [
      "I can't find any bugs: the code is fine.",
      'I cannot reproduce the failure on this commit.',
      'Unfortunately, I cannot approve this change: two tests fail.',
      "I'm unable to verify the second criterion: there is no test for it.",
      'I cannot help but notice that the loop never ends.',
      'Unfortunately, I was not able to run the tests; by reading, all three criteria are met.',
      'Sorry, I could not find the function that the request names; the nearest is `parse`.',
    ],
  },
  {
    id: 'report-message-quoted',
    means: 'report',
    opens: opening(
      `(?:${SORRY}[,.:;!]? )?(?:but )?${SUBJECT} ?${CANNOT}[^.!?;:]{0,120} (?:is|was) (?:now |still )?`,
      '(?:the|a|an) (?:\\w+ )?(?:message|text|string|error|sentence|answer|reply|response|label|wording|line)\\b',
    ),
    examples: [
      'I cannot assist users with X is the message in src/help.ts that I corrected.',
      "Sorry, I can't do that was the old error text; it is now shorter.",
    ],
  },
  {
    id: 'report-rest-done',
    means: 'report',
    opens: opening(
      `(?:${SORRY}[,.:;!]? )?(?:but )?${SUBJECT} ?${CANNOT}\\b.{0,250}?`,
      '\\b(?:everything else|all else|the rest|all the rest|all other \\w+) (?:is|are|has been|have been|was|were|works?|pass(?:es)?)\\b[^.!?]{0,30}',
      '(?:done|complete|completed|finished|in place|implemented|fixed|ready|works?|pass(?:es)?)\\b',
    ),
    examples: [
      "Sorry, I can't push to main; the commit is on the branch `fix`. Everything else is done.",
      'I cannot access the network here, so the link check was left out. The rest is complete.',
    ],
  },
  {
    id: 'refusal-sorry',
    means: 'refusal',
    opens: opening(
      SORRY,
      `(?: for [^.!?]{1,80}?)?(?: ?[,.:;!–—-]+)?(?: but)?(?: as an? (?:AI|assistant|language model)[^.!?]{0,80}?)? ${SUBJECT} ?${CANNOT}`,
    ),
    examples: [
      "I'm sorry, but I can't assist with that.",
      'I’m sorry, but I can’t do that.',
      'Sorry, I cannot help with this request.',
      'I apologize, but I am unable to continue.',
      'I apologize for the inconvenience, but I cannot complete this task.',
      'Unfortunately, I am not able to access the repository.',
      'My apologies. I will not be able to do this.',
      "I'm sorry — I can't help with that.",
      "I'm afraid I can't do that.",
    ],
  },
  {
    id: 'refusal-cannot-help',
    means: 'refusal',
    opens: opening(
      `${SUBJECT} ?${CANNOT}${ADVERB} `,
      '(?:help|assist|comply|fulfil|fulfill|satisfy|honou?r|engage|participate|support|facilitate|provide|answer|respond|continue|proceed|perform|carry out|complete|create|write|generate|produce|implement|make|modify|edit|do|access|discuss|share|take on|work on|process|accommodate|agree)(?:ing)?\\b',
    ),
    examples: [
      'I cannot help with that.',
      "I can't assist with this request.",
      "I'm unable to comply with it.",
      'I am not able to provide that information.',
      "I won't be able to complete this task.",
      'I will not write malware.',
      "I'm not allowed to edit these files.",
      'I cannot in good conscience assist with this.',
    ],
  },
  {
    id: 'refusal-as-an-ai',
    means: 'refusal',
    opens: opening(
      `(?:as an? (?:AI|artificial intelligence|(?:large )?language model)\\b[^.!?]{0,120}?|I'?m (?:just |only )?an? (?:AI|(?:large )?language model)\\b[^.!?]{0,120}?) `,
      `(?:${SUBJECT} ?${CANNOT}|(?:and |so |but )?${CANNOT}|I don't have|I do not have|I must|I have to)`,
    ),
    examples: [
      'As an AI language model, I cannot run commands.',
      "As an AI, I don't have access to your files.",
      "I'm just an AI assistant and can't do this.",
    ],
  },
  {
    id: 'refusal-declined',
    means: 'refusal',
    opens: opening(
      `(?:${SORRY}[,.:;!]? )?(?:but )?(?:I ?(?:must|have to|need to|will have to|respectfully|am going to|'m going to|am going to have to|'m going to have to) (?:respectfully |politely )?(?:decline|refuse)|I (?:decline|refuse) to|I'd rather not|I would rather not|I'm not (?:comfortable|willing)|I am not (?:comfortable|willing)|I (?:don't|do not) feel comfortable)`,
    ),
    examples: [
      'I must decline this request.',
      'I respectfully decline to do that.',
      "I'm not comfortable writing this.",
      'I refuse to change these files.',
      "I'm going to have to decline.",
    ],
  },
  {
    id: 'refusal-no-access',
    means: 'refusal',
    opens: opening(
      `(?:${SORRY}[,.:;!]? )?(?:but )?(?:it (?:seems|looks|appears)(?: like| that)? )?I (?:don't|do not) (?:currently )?have (?:any |direct |the )?(?:access|permission|permissions|the tools|tools|the ability|ability)\\b`,
    ),
    examples: [
      "I don't have access to the file system.",
      "Sorry, but I don't have permission to write here.",
      "It looks like I don't have the tools to do that.",
    ],
  },
  {
    id: 'refusal-request',
    means: 'refusal',
    opens: opening(
      `(?:${SORRY}[,.:;!]? )?(?:but )?(?:this|that|the|your) (?:request|prompt|task|content)(?: [^.!?]{0,60})? (?:violates|goes against|is against|conflicts with|may violate|would violate|cannot be (?:fulfilled|completed|processed) (?:because|as|since) (?:it|of))`,
    ),
    examples: ['This request violates the usage policy.', 'Your request goes against my guidelines, so I stop here.'],
  },
  {
    id: 'refusal-request-declined',
    means: 'refusal',
    opens: opening('(?:(?:this|the|your) )?request (?:is |was |has been )?(?:declined|refused)(?: ?[.:;!–—-]|$)'),
    examples: ['Request declined: this violates policy.', 'Your request was refused.'],
  },
] as const satisfies readonly RefusalRule[];
