export const licensing = 0;
