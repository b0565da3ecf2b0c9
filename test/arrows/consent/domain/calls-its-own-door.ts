import { consents } from '../consent.service.js';

export const taken = consents;
