import { useCase } from '../consent.hooks.js';

export const taken = useCase;
