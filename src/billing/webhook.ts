export { mountBillingWebhook } from './http/webhook-body.js';
