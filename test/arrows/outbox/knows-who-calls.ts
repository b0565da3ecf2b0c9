import { decorators } from '../access/access.decorators.js';

export const taken = decorators;
