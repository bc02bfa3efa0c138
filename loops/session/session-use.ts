// How a stage came by its session.

export type SessionUse = 'new' | 'resumed' | 'recovered' | 'named';
