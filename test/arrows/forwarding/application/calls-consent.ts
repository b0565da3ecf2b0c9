import { consents } from '../../consent/consent.service.js';

export const taken = consents;
