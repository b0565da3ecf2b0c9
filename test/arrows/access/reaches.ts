export { door } from '../licensing/licensing.door.js';
