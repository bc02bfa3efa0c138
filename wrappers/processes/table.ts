// Selects the process table of this platform: lists processes, shows where they belong, and signals them.

import * as darwin from './darwin.ts';
import * as linux from './linux.ts';
import * as signs from './linux-signs.ts';
import type { ProcessTable } from './rows.ts';

export const processTable: ProcessTable = process.platform === 'linux' ? { ...linux, ...signs } : darwin;
