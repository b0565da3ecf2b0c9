import { a } from './circle-a.js';

export const b = (): number => (Math.random() > 2 ? a() : 1);
