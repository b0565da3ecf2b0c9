import { useCase } from '../../consent/consent.hooks.js';

export const taken = useCase;
