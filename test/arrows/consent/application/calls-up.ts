export { controller } from '../http/controller.js';
