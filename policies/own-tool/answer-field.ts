// The reason of a call whose answer is not where the description of its CLI looks for it.

export const NO_ANSWER_FIELD = 'no_answer_field';
