export const controller = 0;
