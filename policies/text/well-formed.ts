// Replaces half a surrogate pair, which no encoding has, with the replacement character.

export const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, '\ufffd');
