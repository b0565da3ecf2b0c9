export const projects = 0;
