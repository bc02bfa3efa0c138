// Models the document's table of a supervision in small: which part is called next, with what text, and what its answer means.

import type { LeftHow } from '../../policies/supervise/supervision.ts';

/** The meaning of a reasoner's call. */
export type Said =
  | { how: 'fails' | 'no_op' | 'save_session' | 'believed' | 'refused' }
  | { how: 'garbage'; raw: string }
  | { how: 'continue'; instruction: string }
  | { how: 'ask'; question: string };

export interface Call {
  part: 'worker' | 'reasoner';
  text: string;
}

/** Throws on a call that the document does not contain. */
export class SupervisionModel {
  /** Each call that had a result, in a word. */
  readonly paid: string[] = [];
  errors = 0;
  private next: Call['part'] = 'worker';
  /** The instruction of the iteration is on disk, and its worker has not answered. */
  private begun = false;
  private pending: { said: Said; told: string[] } | null = null;
  private last: Said['how'] | null = null;
  private refused = false;
  private asked: string | null = null;
  private owed: 'saved' | 'parked' | null = null;
  private readonly heard = new Set<string>();

  constructor(public instruction: string) {}

  /**
   * A part is about to be paid for.
   * @param noted the user's notes that the journal contains.
   */
  begins({ part, text }: Call, noted: readonly string[]): void {
    if (part !== this.next) throw new Error(`${part} is asked, and ${this.next} is due after ${this.paid.join(' ')}`);
    if (this.pending !== null) throw new Error(`${part} is asked, and the reasoner's answer is paid for`);
    const unheard = noted.filter((one) => !this.heard.has(one));
    // An answer that arrived before the task was parked is what it would have waited for.
    if (this.owed === 'saved' || (this.owed === 'parked' && unheard.length === 0))
      throw new Error(`the ${part} is asked, and it should have been ${this.owed} after ${this.paid.join(' ')}`);
    this.owed = null;
    if (part === 'worker') {
      if (text !== `# Current instruction\n\n${this.instruction}`)
        throw new Error(`the worker is told ${JSON.stringify(text)}, and not ${JSON.stringify(this.instruction)}`);
      return;
    }
    if (this.asked !== null && unheard.length === 0)
      throw new Error('it is asked again, and nobody has answered its question');
    if (!text.includes(`: instruction =====\n${this.instruction}`)) throw new Error('it is not shown what is in force');
    for (const one of noted) {
      const isTold = notesIn(text).includes(one);
      if (isTold === this.heard.has(one)) throw new Error(`the note ${one} is ${isTold ? 'told again' : 'left out'}`);
    }
    if (text.includes('it does not count') !== this.refused)
      throw new Error(`of a done that was not believed it is ${this.refused ? 'not' : ''} told`);
  }

  /** The worker answered, or failed by itself. */
  worked(isAnswered: boolean): void {
    this.paid.push(isAnswered ? 'w' : 'w!');
    if (isAnswered) this.next = 'reasoner';
  }

  /**
   * The reasoner is paid for; its answer counts once the journal records its meaning.
   * @param text the text that it was shown.
   */
  said(said: Said, text: string): void {
    this.paid.push(`r:${said.how}`);
    this.pending = { said, told: notesIn(text) };
  }

  reasoned(): void {
    const { said, told } = this.pending!;
    const { how } = said;
    this.pending = null;
    this.last = how;
    this.begun = false;
    if (how === 'fails' || how === 'garbage') {
      this.errors += 1;
      this.next = this.refused || this.errors === 3 ? 'reasoner' : 'worker';
      if (this.errors === 3) this.owed = 'saved';
      return;
    }
    this.errors = 0;
    for (const one of told) this.heard.add(one);
    this.refused = how === 'refused';
    this.asked = how === 'ask' ? said.question : null;
    if (how === 'continue') this.instruction = said.instruction;
    this.owed = how === 'save_session' ? 'saved' : how === 'ask' ? 'parked' : null;
    this.next = how === 'no_op' || how === 'continue' ? 'worker' : 'reasoner';
  }

  instructed(): void {
    this.begun = true;
  }

  /**
   * Whatever the reason of the end, the session is saved, and the count begins again.
   * @param isStopped the user stopped it, or killed what it waits for.
   */
  left(how: LeftHow, isStopped: boolean): void {
    if (!this.mayLeave(how, isStopped)) throw new Error(`it is left as ${how} after ${this.paid.join(' ')}`);
    this.errors = 0;
    this.owed = null;
    if (!this.begun && (this.last === 'fails' || this.last === 'garbage')) this.next = 'reasoner';
  }

  private mayLeave(how: LeftHow, isStopped: boolean): boolean {
    switch (how) {
      case 'done':
        return this.last === 'believed';
      case 'saved':
        return this.owed === 'saved';
      case 'parked':
        return this.asked !== null;
      case 'stopped':
        return isStopped || this.paid.at(-1) === 'w!';
      case 'interrupted':
        return isStopped;
    }
  }
}

const notesIn = (text: string): string[] =>
  [...text.matchAll(/: note \d+ =====\n(.*)\n===== end/g)].map((match) => match[1]!);
