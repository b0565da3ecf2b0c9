import { putTogether } from '../app/put-together.js';

export const taken = putTogether;
