export const controller = 1;
