export { door } from '../forwarding/forwarding.door.js';
