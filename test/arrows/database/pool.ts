export const pool = 0;
