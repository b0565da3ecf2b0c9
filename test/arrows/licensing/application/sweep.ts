export const sweep = 0;
