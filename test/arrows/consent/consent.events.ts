export const events = 0;
