// Defines the warning in a call's record that its failure could not be logged.

export const UNLOGGED = 'the API failure could not be logged whole';

export const isAboutLog = (warning: string): boolean => warning.startsWith(UNLOGGED);
