export const rule = 0;
