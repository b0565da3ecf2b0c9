import { licensing } from '../../licensing/licensing.service.js';

export const taken = licensing;
