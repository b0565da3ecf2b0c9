export const log = 0;
