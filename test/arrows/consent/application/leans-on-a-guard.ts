import { guard } from '../../access/access.guard.js';

export const taken = guard;
