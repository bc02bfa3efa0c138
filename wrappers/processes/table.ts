// The processes of this machine, what they show of where they belong, and how one of them is signalled.

import * as darwin from './darwin.ts';
import * as linux from './linux.ts';
import * as signs from './linux-signs.ts';
import type { ProcessTable } from './rows.ts';

export const processTable: ProcessTable = process.platform === 'linux' ? { ...linux, ...signs } : darwin;
