export { service } from '../consent/consent.service.js';
