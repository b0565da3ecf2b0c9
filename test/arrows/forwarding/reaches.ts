export { door } from '../publishing/publishing.door.js';
