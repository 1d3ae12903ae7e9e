import type { Dialect } from './normal.js';
import { v1 } from './v1.js';
import { v2 } from './v2.js';

export const dialectOf = (version: 1 | 2): Dialect => (version === 1 ? v1 : v2);
