export const publishing = 0;
