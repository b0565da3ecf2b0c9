import { billing } from '../billing/billing.module.js';

export const taken = billing;
