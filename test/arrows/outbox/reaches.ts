export { door } from '../projects/projects.door.js';
