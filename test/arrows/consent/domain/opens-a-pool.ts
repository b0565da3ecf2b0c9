import { pool } from '../../database/pool.js';

export const taken = pool;
