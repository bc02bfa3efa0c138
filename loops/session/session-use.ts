// Defines how a stage got its session.

export type SessionUse = 'new' | 'resumed' | 'recovered' | 'named';
