export { door } from '../access/access.door.js';
