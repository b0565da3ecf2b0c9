export { door } from '../consent/consent.door.js';
