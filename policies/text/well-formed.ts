// Half a character, which no encoding has, as the sign for one that is not known.

export const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, '\ufffd');
