export { door } from '../one-machine/one-machine.door.js';
