export { a } from './circle-a.js';

export const b = (): number => 0;
