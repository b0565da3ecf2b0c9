import { leaf } from '../../shared/leaf.js';

export const taken = leaf;
