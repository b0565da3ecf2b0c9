export { door } from '../billing/billing.door.js';
