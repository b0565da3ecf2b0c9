import { sweep } from '../licensing/application/sweep.js';

export const taken = sweep;
